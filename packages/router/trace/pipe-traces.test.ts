import assert from 'node:assert/strict'
import { test } from 'node:test'
import { singlePlan } from '@weft/wire'
import { linkMessages } from '@weft/wire/messages'
import { channelPair } from '../testing/channel-pair.ts'
import { eventually } from '../testing/eventually.ts'
import { TestController } from '../testing/test-controller.ts'
import { testRouterLinks } from '../testing/test-router-links.ts'
import { tracersOf } from './channel-tracer.ts'
import { PipeTraces } from './pipe-traces.ts'

const limits = { timeout: 20_000 }
const tracer = { identity: 'r1', protocol: 'link', nameOf: () => undefined, now: () => 5 }
const deps = { routerId: 'r1', tracerOf: () => tracer }
const request = { enable: true, verbosity: 'ReportAll' as const, appRegex: 'r1', pipeRegex: '^near$' }

test('what goes over a channel is told to who asked, for as long as it wants', limits, async () => {
  await using pair = await channelPair({ plan: singlePlan })
  await using controller = await TestController.connect()
  const to = controller.connection.channel
  const traces = new PipeTraces({ ...deps, channels: () => [pair.near, pair.far] })
  assert.deepEqual(traces.toggle(to, request), { success: true, text: 'near: traced\nfar: not matched\n' })
  await pair.near.send({ contentType: 1_100, body: Buffer.from('secret') })
  const [told] = await controller.takes(1)
  assert.ok(told?.name === 'traceEvent')
  const { contentType, isRx, channel, length, identity } = told.message.body
  assert.deepEqual([contentType, isRx, channel, length, identity], [1_100, false, 'near', 6, 'r1'])
  assert.equal(
    traces.toggle(to, { ...request, enable: false, verbosity: 'ReportMatches' }).text,
    'near: not traced any more\n',
  )
  await pair.near.send({ contentType: 1_100 })
  await pair.far.send({ contentType: 1_101 })
  await eventually(() => pair.near.counters.receivedMessages > 0, 'the other message has come')
  assert.equal(controller.told.length, 0)
})

test('channels that come later are traced too; patterns that are none are refused', limits, async () => {
  await using controller = await TestController.connect()
  const to = controller.connection.channel
  const traces = new PipeTraces({ ...deps, channels: () => [] })
  assert.equal(traces.toggle(to, { ...request, pipeRegex: '(' }).success, false)
  assert.deepEqual(traces.toggle(to, { ...request, appRegex: 'another' }), { success: true, text: '' })
  await using before = await channelPair({ plan: singlePlan })
  traces.add(before.near)
  await before.near.send({ contentType: 1 })
  traces.toggle(to, request)
  await using pair = await channelPair({ plan: singlePlan, bindNear: (channel) => traces.add(channel) })
  await pair.near.send({ contentType: 1_100 })
  const [told] = await controller.takes(1)
  assert.ok(told?.name === 'traceEvent' && told.message.body.contentType === 1_100)
})

test('a link is found by its name, and its messages are named', limits, async () => {
  await using one = await testRouterLinks('r1')
  await using other = await testRouterLinks('r2')
  one.hearsOf(other)
  const linksOf = ({ links }: typeof one) => [...links.registry.links()]
  await eventually(() => linksOf(one).length === 1 && linksOf(other).length === 1, 'there is a link')
  await using controller = await TestController.connect()
  const { link } = tracersOf('r1', Date)
  for (const { id, payloadChannel } of [linksOf(one)[0]!, linksOf(other)[0]!]) {
    const traces = new PipeTraces({ routerId: 'r1', channels: () => [payloadChannel], tracerOf: () => link })
    const pipeRegex = `^l/${id}$`
    assert.equal(traces.toggle(controller.connection.channel, { ...request, pipeRegex }).text, `l/${id}: traced\n`)
  }
  const [told] = await controller.takes(1)
  assert.ok(told?.name === 'traceEvent')
  const { contentType, decode } = told.message.body
  assert.deepEqual([contentType, JSON.parse(decode.toString())], [5, { __decoder__: 'data', __message__: 'heartbeat' }])
})

test('what a link carries is told with its circuit, and nothing else of it', limits, async () => {
  await using pair = await channelPair({ plan: singlePlan })
  await using controller = await TestController.connect()
  const to = controller.connection.channel
  const { link } = tracersOf('r1', { now: () => 5 })
  const traces = new PipeTraces({ routerId: 'r1', tracerOf: () => link, channels: () => [pair.near] })
  traces.toggle(to, request)
  const payload = { circuitId: 'c1', sequence: 1, body: Buffer.from('secret') }
  await pair.near.send(linkMessages.encode('payload', payload))
  const [told] = await controller.takes(1)
  assert.ok(told?.name === 'traceEvent')
  const decode = JSON.parse(String(told.message.body.decode))
  assert.deepEqual(decode, { __decoder__: 'data', __message__: 'payload', circuitId: 'c1' })
})
