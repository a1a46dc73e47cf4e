import assert from 'node:assert/strict'
import { test } from 'node:test'
import { channelPair } from '../testing/channel-pair.ts'
import { controlPlan, singlePlan, withOutQueueSize } from './channel-plan.ts'

test('the size of queues is the plan’s own, unless a configuration says another', () => {
  assert.equal(withOutQueueSize(controlPlan, 4), controlPlan)
  const sizes = (outQueueSize: number) =>
    withOutQueueSize(controlPlan, outQueueSize).queues.map(({ messages }) => messages)
  assert.deepEqual(sizes(1_000), [1_000, 1_000, 1_000])
  // A queue in which nothing may wait could not send anything.
  assert.deepEqual(sizes(0), [1, 1, 1])
})

test('a queue takes as many messages as were said, and no more until they are sent', async () => {
  await using pair = channelPair({ plan: withOutQueueSize(singlePlan, 3) })
  const send = () => pair.here.trySend({ contentType: 7_000 })
  assert.deepEqual([send(), send(), send(), send()], [true, true, true, false])
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  assert.equal(send(), true)
})
