import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TestController } from '../testing/test-controller.ts'
import { ConnectEvents } from './connect-events.ts'

const limits = { timeout: 20_000 }

test('a controller hears of everyone soon after it has come, and now and then again', limits, async () => {
  await using controller = await TestController.connect()
  const { connection } = controller
  const options = { batchInterval: 20, fullSyncInterval: 60 }
  using events = new ConnectEvents(
    { controllers: () => [connection], connected: () => [], now: () => 1_500 },
    options,
  ).start()
  assert.equal(events.toldAt, undefined)
  events.add(connection)
  for (const told of await controller.takes(3)) {
    assert.ok(told.name === 'connectEvents')
    assert.deepEqual([told.message.body.events, told.message.body.fullState], [[], true])
  }
  assert.equal(events.toldAt, 1_500)
})

test('a controller that is gone before is not told', limits, async () => {
  await using controller = await TestController.connect()
  const { connection } = controller
  const deps = { controllers: () => [], connected: () => [], now: () => 0 }
  using events = new ConnectEvents(deps, { batchInterval: 10, fullSyncInterval: 60_000 }).start()
  events.add(connection)
  connection.close('gone')
  await new Promise((resolve) => setTimeout(resolve, 100))
  assert.equal(events.toldAt, undefined)
})
