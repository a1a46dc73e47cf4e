import assert from 'node:assert/strict'
import { test } from 'node:test'
import { singlePlan } from '@weft/wire'
import { channelPair } from '../testing/channel-pair.ts'
import { eventually } from '../testing/eventually.ts'
import { TestController } from '../testing/test-controller.ts'
import { PipeTraces } from './pipe-traces.ts'

const limits = { timeout: 20_000 }
const tracer = { identity: 'r1', protocol: 'link', nameOf: () => undefined, now: () => 5 }
const request = { enable: true, verbosity: 'ReportAll' as const, appRegex: 'r1', pipeRegex: '^near$' }

test('what goes over a channel is told to who asked, for as long as it wants', limits, async () => {
  await using pair = await channelPair({ plan: singlePlan })
  await using controller = await TestController.connect()
  const to = controller.connection.channel
  const traces = new PipeTraces({ channels: () => [pair.near, pair.far], tracer })
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
  const traces = new PipeTraces({ channels: () => [], tracer })
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
