import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlPlan } from '@weft/wire'
import { planOfControl } from './control-plan.ts'

const heartbeats = {
  sendInterval: 11_000,
  checkInterval: 2_000,
  closeUnresponsiveTimeout: 31_000,
  unresponsiveAfter: 6_000,
}
const usual = { outQueueSize: 4, connectTimeout: 5_000, writeTimeout: undefined }

test('what the file says of channels with controllers is in their plan', () => {
  const plan = planOfControl({ heartbeats, options: { ...usual, outQueueSize: 5, writeTimeout: 9_000 } })
  assert.deepEqual(
    plan.queues.map(({ messages }) => messages),
    [5, 5, 5],
  )
  assert.equal(plan.writeTimeout, 9_000)
  const { sendInterval, checkInterval, closeAfter } = plan.heartbeats!
  assert.deepEqual([sendInterval, checkInterval, closeAfter], [11_000, 2_000, 31_000])
})

test('where the file says nothing, the plan is the usual one', () => {
  const { queues, writeTimeout } = planOfControl({ heartbeats, options: usual })
  assert.deepEqual([queues, writeTimeout], [controlPlan.queues, controlPlan.writeTimeout])
})
