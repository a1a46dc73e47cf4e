import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConnectedRouters } from './connected-routers.ts'
import { IdentityConnections } from './identity-connections.ts'
import { handClock, routerFacts, TestFabric, TestRouter } from './test-fabric.ts'

function start() {
  const clock = handClock()
  const routers = new ConnectedRouters({ clock }, { routerConnectChurnLimit: 0 })
  const identities = new IdentityConnections({ routers, clock }, { unknownTimeout: 300_000 })
  const seen: string[] = []
  identities.follow(({ identityId, status }) => seen.push(`${identityId} ${status}`))
  const connect = (id: string) => {
    const router = new TestRouter(id)
    routers.connect(router, routerFacts)
    return router
  }
  const report = (router: TestRouter, connected: string[], disconnected: string[] = [], isFullState = false) =>
    identities.report(router, { connected, disconnected, isFullState })
  return { clock, routers, identities, seen, connect, report }
}

describe('identity connections', () => {
  test('an identity is online as long as one router has it', () => {
    const { identities, seen, connect, report } = start()
    const [a, b] = [connect('a'), connect('b')]
    report(a, ['alice'])
    report(b, ['alice'])
    assert.deepEqual(identities.routersOf('alice'), ['a', 'b'])
    report(a, [], ['alice'])
    assert.equal(identities.connectionStatus('alice'), 'online')
    report(b, [], ['alice'])
    assert.equal(identities.connectionStatus('alice'), 'offline')
    assert.deepEqual(seen, ['alice online', 'alice offline'])
  })

  test('a full state ends whom it does not list, at that router', () => {
    const { identities, seen, connect, report } = start()
    const [a, b] = [connect('a'), connect('b')]
    report(a, ['alice', 'bob', 'carol'])
    report(b, ['bob'])
    report(a, ['alice'], [], true)
    assert.deepEqual(
      ['alice', 'bob', 'carol'].map((id) => identities.connectionStatus(id)),
      ['online', 'online', 'offline'],
    )
    assert.deepEqual(seen.slice(3), ['carol offline'])
  })

  test('who was at a router that is lost is unknown, then online again or offline', () => {
    const { routers, identities, seen, connect, report } = start()
    const a = connect('a')
    report(a, ['alice', 'bob'])
    routers.disconnect(a)
    assert.equal(identities.connectionStatus('alice'), 'unknown')
    report(connect('a'), ['alice'], [], true)
    assert.deepEqual(seen.slice(2), ['alice unknown', 'bob unknown', 'bob offline', 'alice online'])
  })

  test('a router that stays away takes them with it', () => {
    const { clock, routers, identities, connect, report } = start()
    const a = connect('a')
    report(a, ['alice'])
    routers.disconnect(a)
    clock.time += 299_999
    identities.endUnknown()
    assert.equal(identities.connectionStatus('alice'), 'unknown')
    clock.time += 1
    identities.endUnknown()
    assert.equal(identities.connectionStatus('alice'), 'offline')
    assert.deepEqual(identities.routersOf('alice'), [])
  })

  test('what was replaced reports nothing', () => {
    const { identities, connect, report } = start()
    const a = connect('a')
    connect('a')
    report(a, ['alice'])
    assert.equal(identities.connectionStatus('alice'), 'offline')
  })

  test('a tunneler is online with its channel, and who does not exist is not noted', async (t) => {
    await using net = new TestFabric(t)
    net.service('s')
    net.identity('alice', 's')
    const router = net.router('r', { isTunnelerEnabled: true })
    const { identities, routers } = net.state
    const full = { disconnected: [], isFullState: true }
    net.fabric.reportIdentities(router, { connected: ['alice', 'nobody'], ...full })
    assert.deepEqual(
      ['r', 'alice', 'nobody'].map((id) => identities.connectionStatus(id)),
      ['online', 'online', 'offline'],
    )
    net.change((change) => change.update('routers', 'r', { isTunnelerEnabled: false }))
    assert.equal(identities.connectionStatus('r'), 'offline')
    net.change((change) => change.remove('identities', 'alice'))
    assert.equal(identities.connectionStatus('alice'), 'offline')
    net.change((change) => change.update('routers', 'r', { isTunnelerEnabled: true }))
    routers.disconnect(router)
    assert.equal(identities.connectionStatus('r'), 'offline')
  })
})
