import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { systemClock } from '../clock.ts'
import { silentLogger } from '../log/logger.ts'
import { EventDispatcher } from './dispatcher.ts'
import type { EventHandlerConfig, EventsConfig } from './event-config.ts'
import { attachEventHandlers, planEventHandlers } from './handler-plan.ts'
import { formatPlain } from './plain.ts'

const subscriptions = [{ type: 'session' }]

test('reads a file handler with its defaults and its own values', () => {
  const { plans, problems } = planEventHandlers({
    plain: { subscriptions, handler: { type: 'file', format: 'Plain', path: '/tmp/a.log' } },
    sized: {
      subscriptions,
      handler: { type: 'file', format: 'json', path: '/tmp/b.log', maxsizemb: 2, maxbackups: 3, bufferSize: 50_000 },
    },
    small: { subscriptions, handler: { type: 'stdout', format: 'json', bufferSize: 10 } },
  })
  assert.deepEqual(problems, [])
  assert.equal(plans[0]!.format, formatPlain)
  assert.deepEqual(plans[0]!.output, { path: '/tmp/a.log', maxBytes: 10_485_760, maxBackups: 0 })
  assert.deepEqual(plans[1]!.output, { path: '/tmp/b.log', maxBytes: 2_097_152, maxBackups: 3 })
  assert.deepEqual(
    plans.map(({ maxLines }) => maxLines),
    [20_000, 50_000, 20_000],
  )
})

test('a size of 0 means 100 MiB, as with the peers', () => {
  const handler = { type: 'file', format: 'json', path: '/tmp/a.log', maxsizemb: 0 }
  const { plans } = planEventHandlers({ mine: { subscriptions, handler } })
  assert.deepEqual(plans[0]!.output, { path: '/tmp/a.log', maxBytes: 104_857_600, maxBackups: 0 })
})

test('handler types it does not have are warned about and left out', () => {
  for (const type of ['amqp', 'fabric', 'servicebus']) {
    const { plans, problems } = planEventHandlers({ mine: { subscriptions, handler: { type, format: 'json' } } })
    assert.deepEqual(plans, [])
    assert.equal(problems.length, 1)
    assert.equal(problems[0]!.severity, 'warning')
    assert.deepEqual(problems[0]!.path, ['mine', 'handler', 'type'])
  }
})

test('all problems are reported at once, each by its path', () => {
  const { plans, problems } = planEventHandlers({
    a: {
      subscriptions: [{ type: 'session', include: ['gone'] }, { type: 'nothing' }],
      handler: { type: 'file', format: 'xml', path: '', maxsizemb: -1 },
    },
    b: { subscriptions, handler: { type: 'file', format: 'json', path: 'x', maxsizemb: 0.5, maxbackups: -1 } },
    c: { handler: { type: 'stdout', format: 'json' } } as unknown as EventHandlerConfig,
  })
  assert.deepEqual(plans, [])
  assert.deepEqual(
    problems.map(({ severity, path }) => `${severity} ${path.join('.')}`),
    [
      'error a.subscriptions.0.include',
      'warning a.subscriptions.1.type',
      'error a.handler.path',
      'error b.handler.maxsizemb',
      'error b.handler.maxbackups',
      'error c.subscriptions',
    ],
  )
})

test('no shape of the section makes it throw', () => {
  const shapes: readonly unknown[] = [null, 1, 'x', [], {}, { handler: null }, { handler: { type: 5, format: {} } }]
  const more = [{ handler: { type: 'file', path: 7, format: 'json' }, subscriptions: [null, 3, { type: 9 }] }]
  for (const shape of [...shapes, ...more]) {
    const { plans, problems } = planEventHandlers({ mine: shape as EventHandlerConfig })
    assert.deepEqual(plans, [])
    assert.ok(problems.length > 0)
  }
})

test('attaches what was planned, and says which file cannot be opened', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-events-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const stdout = new PassThrough()
  const handler = (path: string) => ({ subscriptions, handler: { type: 'file', format: 'json', path } })
  const config: EventsConfig = {
    file: handler(join(folder, 'events.log')),
    lost: handler(join(folder, 'missing', 'events.log')),
    out: { subscriptions: [{ type: 'edge.sessions' }], handler: { type: 'stdout', format: 'plain' } },
  }
  {
    await using events = new EventDispatcher({ clock: systemClock, log: silentLogger }, { controllerId: 'c' })
    const problems = await attachEventHandlers(events, { clock: systemClock, stdout }, planEventHandlers(config).plans)
    assert.deepEqual(
      problems.map(({ path }) => path.join('.')),
      ['lost.handler.path'],
    )
    events.emit({
      namespace: 'session',
      event_type: 'created',
      session_type: 'Dial',
      provider: 'legacy',
      id: 's',
      api_session_id: 'a',
      identity_id: 'i',
      service_id: 'v',
    })
  }
  assert.match(await readFile(join(folder, 'events.log'), 'utf8'), /^\{"namespace":"session".*\}\n$/)
  assert.match(String(stdout.read()), /^edge\.sessions\.created id=s timestamp=.* identityId=i\n$/)
})
