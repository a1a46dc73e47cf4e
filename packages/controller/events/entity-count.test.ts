import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../clock.ts'
import { silentLogger } from '../log/logger.ts'
import { EventDispatcher } from './dispatcher.ts'
import { EntityCountTimers } from './entity-count.ts'
import { attachEventHandlers, planEventHandlers } from './handler-plan.ts'

test('each subscription is told at its own interval, first soon after the start, and no more after the end', async () => {
  let written = ''
  const stdout = new PassThrough({ encoding: 'utf8' }).on('data', (text) => {
    written += text
  })
  await using events = new EventDispatcher({ clock: systemClock, log: silentLogger }, { controllerId: 'c' })
  const handler = { type: 'stdout', format: 'json' }
  const { plans } = planEventHandlers({
    often: { subscriptions: [{ type: 'edge.entityCounts', interval: '1s' }], handler },
    seldom: { subscriptions: [{ type: 'entityCount' }], handler },
  })
  await attachEventHandlers(events, { clock: systemClock, stdout }, plans)
  let calls = 0
  const counts = () => {
    calls += 1
    if (calls > 2) throw new Error('no table')
    return { services: 2, identities: 1 }
  }
  {
    using _timers = EntityCountTimers.start({ dispatcher: events, counts })
    await sleep(2_500)
  }
  const seen = calls
  await sleep(1_100)
  assert.equal(calls, seen)
  const lines = written.trim().split('\n')
  const records = lines.map((line) => JSON.parse(line))
  assert.equal(records.filter(({ namespace }) => namespace === 'entityCount').length, 1)
  assert.equal(records.filter(({ namespace }) => namespace === 'edge.entityCounts').length, 2)
  assert.match(lines[0]!, /"counts":\{"identities":1,"services":2\}\}$/)
  assert.match(lines.at(-1)!, /"counts":null,"error":"Error: no table"\}$/)
})
