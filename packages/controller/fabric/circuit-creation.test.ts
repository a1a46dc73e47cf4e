import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { silentLogger } from '../log/logger.ts'
import { CircuitCreation } from './circuit-creation.ts'
import type { CircuitErrorCode } from './circuit-error.ts'
import { defaultNetworkOptions } from './network-options.ts'
import type { RouteResult } from './route-message.ts'
import { routed, TestFabric, type TestRouter } from './test-fabric.ts'

const never = () => new Promise<RouteResult>(() => undefined)
const refused = (code: number, message = 'no'): RouteResult => ({ isSuccess: false, code, message })

/** Routers a, b, c in a row and d beside b, which is dearer; a service with a terminator at c. */
function row(test: TestContext, options = {}) {
  const net = new TestFabric(test, options)
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((id) => net.router(id)) as TestRouter[]
  const routers = { a: a!, b: b!, c: c!, d: d! }
  net.link(routers.a, routers.b)
  net.link(routers.b, routers.c)
  net.link(routers.a, routers.d, { cost: 50 })
  net.link(routers.d, routers.c, { cost: 50 })
  net.service('s')
  net.terminator('t', 's', routers.c)
  return { net, ...routers }
}

async function failure(
  dialled: Promise<unknown>,
): Promise<{ readonly code: CircuitErrorCode; readonly message: string }> {
  try {
    await dialled
  } catch (error) {
    return error as { code: CircuitErrorCode; message: string }
  }
  assert.fail('the circuit was made')
}

describe('circuit creation', () => {
  test('routes to every router of the cheapest path and answers with the circuit', async (t) => {
    const { net, a, b, c, d } = row(t)
    await using _ = net
    c.answer = () => ({
      isSuccess: true,
      peerData: new Map([
        [1003, Buffer.from('key')],
        [1110, Buffer.from('x')],
      ]),
    })
    const peerData = new Map([
      [1011, Buffer.from('app')],
      [1112, Buffer.from('local')],
    ])
    const circuit = await net.dial(a, 's', { peerData, clientId: 'session' })
    assert.deepEqual(circuit.path.nodes, ['a', 'b', 'c'])
    assert.deepEqual(circuit.path.links, ['a-b', 'b-c'])
    assert.deepEqual([...circuit.peerData.keys()], [1003])
    assert.equal(circuit.path.terminatorLocalAddress, 'x')
    assert.equal(circuit.path.initiatorLocalAddress, 'local')
    assert.deepEqual(circuit.tags, { serviceId: 's', hostId: 'host' })
    assert.deepEqual(
      [a, b, c, d].map(({ routes }) => routes.length),
      [1, 1, 1, 0],
    )
    assert.equal(c.routes[0]?.egress?.peerData, peerData)
    assert.equal(c.routes[0]?.egress?.destination, 't')
    assert.deepEqual(c.routes[0]?.context, { circuitId: circuit.id, serviceId: 's', attemptNumber: '1' })
    assert.equal(net.state.circuits.get(circuit.id), circuit)
    assert.deepEqual(net.state.circuits.pathOf('session'), ['a', 'b', 'c'])
    assert.deepEqual(
      net.events.map(({ type }) => type),
      ['created'],
    )
    assert.equal(net.state.terminatorCosts.dynamicCost('t'), 2)
  })

  test('what stands at the terminator is told too', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    net.service('told')
    net.terminator('of-told', 'told', c, { peerData: { 1003: Buffer.from('stored').toString('base64') } })
    const circuit = await net.dial(a, 'told')
    assert.equal(Buffer.from(circuit.peerData.get(1003)!).toString(), 'stored')
  })

  test('a failed attempt is followed by another, and routers that are not needed forget the first', async (t) => {
    const { net, a, b, c, d } = row(t)
    await using _ = net
    b.answer = () => {
      net.state.links.adjust('a-b', { isDown: true })
      return refused(8, 'no such link')
    }
    const circuit = await net.dial(a, 's')
    assert.deepEqual(circuit.path.nodes, ['a', 'd', 'c'])
    assert.deepEqual(
      [a, c, d].map(({ routes }) => routes.at(-1)?.attempt),
      [1, 1, 1],
    )
    assert.deepEqual(
      [a, b, c, d].map(({ unroutes }) => unroutes.length),
      [0, 1, 0, 0],
    )
    const failed = net.events[0]
    assert.equal(failed?.type === 'failed' && failed.failureCause, 'ROUTER_ERR_INVALID_LINK_DESTINATION')
    assert.deepEqual(
      net.events.map(({ type }) => type),
      ['failed', 'created'],
    )
  })

  test('after the last attempt everything is taken back', async (t) => {
    const { net, a, b, c } = row(t)
    await using _ = net
    c.answer = () => refused(4, 'refused')
    const { code, message } = await failure(net.dial(a, 's', { circuitId: 'mine' }))
    assert.equal(code, 'ROUTER_ERR_CONN_REFUSED')
    assert.match(message, /refused/)
    assert.deepEqual(
      net.events.map(({ type }) => type),
      ['failed', 'failed'],
    )
    for (const router of [a, b]) assert.deepEqual(router.unroutes, [{ circuitId: 'mine', when: 'now' }])
    assert.equal(net.state.circuits.size, 0)
    assert.equal(net.state.circuits.isReserved('mine'), false)
    assert.equal(net.state.terminatorCosts.dynamicCost('t'), 40)
  })

  test('a router that says nothing ends the attempt when the time is up', async (t) => {
    const { net, a, b } = row(t, { createCircuitRetries: 1 })
    await using _ = net
    b.answer = never
    const dialled = failure(net.dial(a, 's'))
    await net.settle()
    net.pass(9_999)
    await net.settle()
    assert.equal(net.fabric.pending.creations, 1)
    net.pass(1)
    assert.equal((await dialled).code, 'ROUTER_RESPONSE_TIMEOUT')
    assert.equal(b.unroutes.length, 1, 'it may still do what it was told')
    assert.equal(net.state.terminatorCosts.dynamicCost('t'), 20)
  })

  test('a result that comes when nobody waits is taken back, unless its router is on the path', async (t) => {
    const { net, a, b, d } = row(t)
    await using _ = net
    const { id } = await net.dial(a, 's')
    net.fabric.reports.routedLate(d, id, 0)
    net.fabric.reports.routedLate(b, id, 0)
    net.fabric.reports.routedLate(b, 'unknown', 3)
    net.fabric.reports.routedLate(b, 'moved', 99_969_996)
    assert.deepEqual(d.unroutes, [{ circuitId: id, when: 'now' }])
    assert.deepEqual(b.unroutes, [{ circuitId: 'unknown', when: 'now' }])
  })

  const failures = [
    { code: 0, cause: 'ROUTER_ERR_GENERIC' },
    { code: 1, cause: 'ROUTER_ERR_INVALID_TERMINATOR' },
    { code: 3, cause: 'ROUTER_ERR_DIAL_TIMED_OUT' },
    { code: 4, cause: 'ROUTER_ERR_CONN_REFUSED' },
    { code: 5, cause: 'ROUTER_ERR_REJECTED_BY_APPLICATION' },
    { code: 6, cause: 'ROUTER_ERR_DNS_RESOLUTION_FAILED' },
    { code: 7, cause: 'ROUTER_ERR_PORT_NOT_ALLOWED' },
    { code: 8, cause: 'ROUTER_ERR_INVALID_LINK_DESTINATION' },
    { code: 9, cause: 'ROUTER_ERR_RESOURCES_NOT_AVAILABLE' },
    { code: 200, cause: 'ROUTER_ERR_GENERIC' },
  ] as const
  for (const { code, cause } of failures) {
    test(`error code ${code} of a router is the cause ${cause}`, async (t) => {
      const { net, a, c } = row(t, { createCircuitRetries: 1 })
      await using _ = net
      c.answer = () => refused(code)
      assert.equal((await failure(net.dial(a, 's'))).code, cause)
    })
  }

  test('a terminator that its router does not host is deleted, and the next attempt takes another', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    net.terminator('spare', 's', c, { cost: 100 })
    c.answer = ({ egress }) => (egress?.destination === 't' ? refused(1) : routed)
    const circuit = await net.dial(a, 's')
    assert.deepEqual(net.terminatorFaults, ['removed t'])
    assert.equal(circuit.terminator.id, 'spare')
    assert.equal(net.state.terminatorCosts.dynamicCost('t'), 0, 'its costs went with it')
  })

  test('one that its router cannot dial becomes the last resort', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    net.service('web')
    net.terminator('bad', 'web', c, { binding: 'transport' })
    net.terminator('good', 'web', c, { binding: 'transport', cost: 100 })
    c.answer = ({ egress }) => (egress?.destination === 'bad' ? refused(1) : routed)
    assert.equal((await net.dial(a, 'web')).terminator.id, 'good')
    assert.deepEqual(net.terminatorFaults, ['failed bad'])
  })

  test('only its own router can say so', async (t) => {
    const { net, a, b } = row(t, { createCircuitRetries: 1 })
    await using _ = net
    b.answer = () => refused(1)
    await failure(net.dial(a, 's'))
    assert.deepEqual(net.terminatorFaults, [])
    assert.equal(net.state.terminatorCosts.dynamicCost('t'), 0)
  })

  test('an instance is reached by its id alone', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    net.terminator('instance', 's', c, { instanceId: 'alice' })
    const circuit = await net.dial(a, 's', { instanceId: 'alice' })
    assert.equal(circuit.terminator.id, 'instance')
    assert.equal(circuit.tags['serviceId'], 'alice@s')
    assert.equal((await net.dial(a, 's')).terminator.id, 't')
    assert.equal((await failure(net.dial(a, 's', { instanceId: 'bob' }))).code, 'NO_TERMINATORS')
  })

  test('without a service, a terminator, a router or a path there is none, and the cause says which', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    net.service('empty')
    const lonely = net.router('lonely')
    const codes = [
      (await failure(net.dial(a, 'nowhere'))).code,
      (await failure(net.dial(a, 'empty'))).code,
      (await failure(net.dial(lonely, 's'))).code,
    ]
    net.state.routers.disconnect(c)
    codes.push((await failure(net.dial(a, 's'))).code)
    assert.deepEqual(codes, ['INVALID_SERVICE', 'NO_TERMINATORS', 'NO_PATH', 'NO_ONLINE_TERMINATORS'])
    const causes = net.events.map((event) => (event.type === 'failed' ? event.failureCause : event.type))
    assert.deepEqual(causes, codes)
  })

  test('costs of terminator, path and earlier circuits decide, and a precedence before them', async (t) => {
    const { net, a, b, c } = row(t)
    await using _ = net
    net.terminator('near', 's', b, { cost: 19 })
    const taken = async () => (await net.dial(a, 's')).terminator.id
    // The way to c costs 21 more than the way to b.
    assert.equal(await taken(), 'near')
    assert.equal(await taken(), 't')
    assert.equal(await taken(), 'near')
    net.terminator('wanted', 's', c, { cost: 65_535, precedence: 'required' })
    assert.equal(await taken(), 'wanted')
  })

  test('sticky circuits stay with their terminator over its costs, not over its failure', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    net.service('sticky', { terminatorStrategy: 'sticky' })
    net.terminator('x', 'sticky', c)
    net.terminator('y', 'sticky', c, { cost: 1 })
    const first = await net.dial(a, 'sticky')
    const token = new Map([[1114, first.peerData.get(1114)!]])
    assert.equal(first.terminator.id, 'x')
    net.change((change) => change.update('terminators', 'x', { cost: 1_000 }))
    assert.equal((await net.dial(a, 'sticky', { peerData: token })).terminator.id, 'x')
    net.change((change) => change.update('terminators', 'x', { precedence: 'failed' }))
    const moved = await net.dial(a, 'sticky', { peerData: token })
    assert.equal(moved.terminator.id, 'y')
    assert.equal(Buffer.from(moved.peerData.get(1114)!).toString(), 'y')
  })

  test('a service that demands encryption demands a key of both ends', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    net.service('secret', { encryptionRequired: true })
    net.terminator('of-secret', 'secret', c)
    assert.equal((await failure(net.dial(a, 'secret'))).code, 'ENCRYPTION_DATA_MISSING')
    assert.equal(a.routes.length, 0)
    const peerData = new Map([[1003, Buffer.from('key')]])
    assert.equal((await failure(net.dial(a, 'secret', { peerData }))).code, 'ENCRYPTION_DATA_MISSING')
    assert.deepEqual(
      [a, c].map(({ unroutes }) => unroutes.length),
      [1, 1],
    )
    assert.equal(net.state.circuits.size, 0)
    c.answer = () => ({ isSuccess: true, peerData })
    assert.deepEqual((await net.dial(a, 'secret', { peerData })).peerData, peerData)
  })

  test('an id is taken once', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    const held = Promise.withResolvers<RouteResult>()
    c.answer = () => held.promise
    const first = net.dial(a, 's', { circuitId: 'mine' })
    assert.equal((await failure(net.dial(a, 's', { circuitId: 'mine' }))).code, 'CIRCUIT_ID_IN_USE')
    held.resolve(routed)
    assert.equal((await first).id, 'mine')
    assert.equal((await failure(net.dial(a, 's', { circuitId: 'mine' }))).code, 'CIRCUIT_ID_IN_USE')
  })

  test('so many are made at once and no more, in all and for one router', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    const held = Promise.withResolvers<RouteResult>()
    c.answer = () => held.promise
    const { removal } = net.fabric
    const rerouting = { request: () => undefined, isIntact: () => true }
    const deps = { ...net.state, view: net.network.view, clock: net.clock, log: silentLogger, removal, rerouting }
    const terminatorFaults = { removeInvalid: async () => undefined, markFailed: async () => undefined }
    let made = 0
    const creation = new CircuitCreation(
      { ...deps, terminatorFaults, random: () => 0, newId: () => `id-${made++}` },
      defaultNetworkOptions,
      { mostWaiting: 3, mostWaitingPerRouter: 2 },
    )
    const facts = { serviceId: 's', instanceId: '', clientId: '', peerData: new Map() }
    const dial = (sourceRouterId: string) => creation.create({ ...facts, sourceRouterId })
    const dialled = [dial('a'), dial('a')]
    assert.equal((await failure(dial('a'))).code, 'TOO_MANY_REQUESTS')
    dialled.push(dial('b'))
    assert.equal((await failure(dial('d'))).code, 'TOO_MANY_REQUESTS')
    held.resolve(routed)
    await Promise.all(dialled)
    assert.equal(creation.waiting, 0)
    assert.equal((await dial('a')).path.nodes[0], a.routerId)
  })

  test('access that ends while the circuit is made ends it', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    const identityId = net.identity('user', 's')
    c.answer = () => {
      net.change((change) => change.remove('servicePolicies', 'dial-user'))
      return routed
    }
    assert.equal((await failure(net.dial(a, 's', { identityId }))).code, 'ACCESS_ENDED')
    assert.deepEqual(
      [a, c].map(({ unroutes }) => unroutes.length),
      [1, 1],
    )
    assert.equal(net.state.circuits.size, 0)
  })

  test('a link that goes meanwhile moves the circuit at once', async (t) => {
    const { net, a, b, c } = row(t)
    await using _ = net
    c.answer = () => {
      net.state.links.fault(b, { linkId: 'b-c', iteration: 0, isDuplicate: false })
      c.answer = () => routed
      return routed
    }
    const { id } = await net.dial(a, 's')
    await net.settle()
    assert.deepEqual(net.state.circuits.get(id)?.path.nodes, ['a', 'd', 'c'])
  })

  test('a router that leaves does not keep the others waiting', async (t) => {
    const { net, a, b } = row(t)
    await using _ = net
    b.answer = () => {
      net.state.routers.disconnect(b)
      return Promise.reject(new Error('the channel is closed'))
    }
    assert.deepEqual((await net.dial(a, 's')).path.nodes, ['a', 'd', 'c'])
  })

  test('whoever gives up takes everything back', async (t) => {
    const { net, a, c } = row(t)
    await using _ = net
    c.answer = never
    const given = new AbortController()
    const request = { sourceRouterId: 'a', serviceId: 's', instanceId: '', clientId: '', peerData: new Map() }
    const dialled = net.fabric.createCircuit(request, { signal: given.signal })
    await net.settle()
    given.abort(new Error('given up'))
    await assert.rejects(dialled, /given up/)
    assert.equal(a.unroutes.length, 1)
    assert.equal(net.fabric.pending.creations, 0)
  })
})
