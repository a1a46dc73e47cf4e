import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DataModel } from '@weft/model/data-model'
import { routeErrorCode } from '@weft/wire/messages'
import { ModelSubscription } from '../../data-model/model-subscription.ts'
import { UnservedRoutes } from '../../link/unserved-routes.ts'
import { ChannelRenewals } from '../../renewal/channel-renewals.ts'
import { eventually } from '../../testing/eventually.ts'
import { TestController } from '../../testing/test-controller.ts'
import { TwoRegistries } from '../../testing/two-registries.ts'
import { PipeTraces } from '../../trace/pipe-traces.ts'
import { Controllers } from '../controllers.ts'
import { controlHandlers } from './index.ts'

const limits = { timeout: 20_000 }

async function setUp() {
  const stack = new AsyncDisposableStack()
  const lines: string[] = []
  const note = (message: string) => void lines.push(message)
  const log = { debug() {}, info() {}, warn: note, error: note }
  const controller = stack.use(await TestController.connect('ctrl1', log))
  const { connection } = controller
  const two = stack.use(new TwoRegistries())
  const monotonic = () => performance.now()
  const save = () => {}
  const controllers = new Controllers(
    { connect: () => Promise.reject(new Error('nobody')), save, readAddress: () => undefined, monotonic, log },
    { first: [], configured: [] },
  )
  const kept = new DataModel()
  kept.index = 42
  const model = new ModelSubscription(
    { controllers: { any: () => connection, forgetIndexes() {} }, clock: { monotonic }, log },
    { routerId: 'a', kept },
  )
  const unknownLinks: string[] = []
  const links = two.a.registry
  const address = { value: '127.0.0.1:3022', protocol: 'tls', hostname: '127.0.0.1', port: 3022 }
  const context = {
    ...{ controllers, links, model },
    renewals: new ChannelRenewals(),
    traces: new PipeTraces({
      routerId: 'a',
      channels: () => [connection.channel],
      tracerOf: () => ({ identity: 'a', protocol: 'ctrl', nameOf: () => undefined, now: () => 0 }),
    }),
    edgeListeners: () => [{ address, advertise: address }],
    inspect: (names: readonly string[]) => ({
      success: true,
      errors: [],
      values: names.map((name) => ({ name, value: 'seen' })),
    }),
    routes: new UnservedRoutes({ links, reports: { unknown: (id) => void unknownLinks.push(id) } }),
    terminators: { isHosted: ({ id }: { readonly id: string }) => (id === 'later' ? undefined : false) },
  }
  for (const handler of controlHandlers) handler.register(connection, context, log)
  return { controller, two, lines, unknownLinks, model, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('a greeting is answered with where clients connect', limits, async () => {
  await using set = await setUp()
  const { name, message } = await set.controller.asks('serverHello', {
    hasDataModel: true,
    body: { version: 'v2.1.0' },
  })
  assert.ok(name === 'clientHello')
  const { body, hasDataModel, dataModelIndex } = message
  assert.deepEqual([hasDataModel, dataModelIndex, body.version], [true, 42, 'v2.1.0'])
  assert.deepEqual([body.hostname, body.protocols, body.protocolPorts], ['127.0.0.1', ['tls'], ['3022']])
  assert.equal(body.listeners[0]?.advertise?.port, 3022)
})

test('a route is answered truthfully: it cannot be made, or the link is not there', limits, async () => {
  await using set = await setUp()
  const { controller, two, unknownLinks } = set
  await two.comesTo(two.a, 'link1')
  const ask = async (body: Parameters<typeof controller.asks<'route'>>[1]['body']) =>
    (await controller.asks('route', { body: { circuitId: 'c1', attempt: 7, ...body } })).message
  const forward = (dstAddress: string) => ({ srcAddress: 'in', dstAddress, dstType: 'Link' as const })
  const transit = await ask({ forwards: [forward('link1')] })
  assert.deepEqual(
    [transit.attempt, transit.success, transit.errorCode, transit.body],
    [7, undefined, routeErrorCode.generic, 'c1'],
  )
  assert.match(transit.error!, /does not carry circuits/)
  assert.match((await ask({ egress: { binding: 'edge' } })).error!, /does not serve the binding edge/)
  const missing = await ask({ forwards: [forward('gone')] })
  assert.equal(missing.errorCode, routeErrorCode.invalidLinkDestination)
  assert.deepEqual(unknownLinks, ['gone'])
  await controller.says('unroute', { body: { circuitId: 'c1', now: true } })
})

test('terminators that are not here are said to be invalid; what cannot be told yet is left out', limits, async () => {
  await using set = await setUp()
  const terminators = [
    { id: 't1', binding: 'edge', address: 'x', marker: 9n },
    { id: 'later', binding: 'edge', address: 'y' },
  ]
  const { message } = await set.controller.asks('validateTerminatorsV2', { body: { terminators, fixInvalid: true } })
  assert.deepEqual([...message.body.states.keys()], ['t1'])
  const state = message.body.states.get('t1')
  assert.deepEqual([state?.valid, state?.reason, state?.marker], [false, 'UnknownTerminator', 9n])
})

test('inspections, comparisons and traces are answered', limits, async () => {
  await using set = await setUp()
  const { controller } = set
  const seen = await controller.asks('inspectRequest', { body: { requestedValues: ['links'] } })
  assert.deepEqual(seen.message.body.values, [{ name: 'links', value: 'seen' }])
  const compared = await controller.asks('validateDataState', { body: { state: { endIndex: 42 } } })
  assert.deepEqual(compared.message.body.diffs, [])
  const traced = await controller.asks('togglePipeTraces', { body: { enable: true, appRegex: '[', pipeRegex: '.' } })
  assert.equal(traced.message.success, false)
})

test('peers, faults and the data model reach those whom they concern', limits, async () => {
  await using set = await setUp()
  const { controller, two, model } = set
  const listeners = [{ address: 'tls:127.0.0.1:1', protocol: 'tls', groups: ['default'] }]
  await controller.says('peerStateChanges', { body: { changes: [{ id: 'b', version: 'v2.1.0', listeners }] } })
  await eventually(() => [...two.a.registry.links()].length === 1, 'the peer is dialled')
  const [link] = two.a.registry.links()
  await controller.says('fault', { body: { subject: 'LinkFault', id: link!.id, iteration: 0 } })
  await link!.closed
  model.check()
  await controller.takes(1)
  await controller.says('dataState', { body: { endIndex: 50, timelineId: 't' } })
  await eventually(() => model.model.index === 50, 'the model is taken')
  await controller.says('dataStateChangeSet', { body: { index: 51, previousIndex: 50 } })
  await controller.says('currentIndex', { dataModelIndex: 60 })
  await eventually(() => model.controllerIndex === 60 && model.model.index === 51, 'and its change')
})

test('what cannot be read costs a line in the log now and then, and not the channel', limits, async () => {
  await using set = await setUp()
  const { controller, lines } = set
  const types = [1005, 1006, 1013, 1020, 1037, 1041, 1050, 1051, 20301, 20500, 20501, 20503, 20506, 9999]
  for (const type of types) await controller.mutters(type, Buffer.alloc(64, 0xff))
  const { message } = await controller.asks('inspectRequest', { body: { requestedValues: [] } })
  assert.equal(message.body.success, true)
  // Of the first, the second, the fourth and the eighth.
  assert.deepEqual(lines, Array(4).fill('message cannot be read'))
})
