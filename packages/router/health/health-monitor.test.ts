import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { HealthCheck } from './health-check.ts'
import { healthDocument } from './health-document.ts'
import { HealthMonitor } from './health-monitor.ts'
import { type ControllerReadings, type LinkReadings, routerChecks } from './router-checks.ts'

const start = Date.UTC(2026, 7, 22, 10)
const schedule = { interval: 1, initialDelay: 1, timeout: 1_000 }
const link: LinkReadings = {
  linkId: '3kTq',
  destRouterId: 'r-B',
  latency: 812_345.5,
  addresses: { 'link.default': { localAddr: 'tcp:10.0.0.1:51000', remoteAddr: 'tcp:10.0.0.2:6002' } },
}

function setUp(minLinks: number) {
  const time = { now: start }
  const clock = { now: () => time.now, monotonic: () => time.now }
  const controllers: ControllerReadings[] = []
  const links: LinkReadings[] = []
  const readings = { controllers: () => controllers, links: () => links }
  const specs = routerChecks(readings, { ctrlPingCheck: schedule, linkCheck: { ...schedule, minLinks } })
  const [ping, count] = specs.map((spec) => new HealthCheck(spec, clock))
  return { time, controllers, links, ping: ping!, count: count! }
}

test('before the first question only links that are not required count as healthy', () => {
  const { ping, count } = setUp(0)
  assert.equal(
    healthDocument([ping.state, count.state], 'whole'),
    `{
    "data": {
        "checks": [
            {
                "consecutiveFailures": 1,
                "err": {
                    "message": "didn't run yet"
                },
                "failingSince": "2026-08-22T10:00:00Z",
                "healthy": false,
                "id": "controllerPing",
                "lastCheckDuration": "0µs",
                "lastCheckTime": "2026-08-22T10:00:00Z"
            },
            {
                "healthy": true,
                "id": "link.health",
                "lastCheckDuration": "0µs",
                "lastCheckTime": "2026-08-22T10:00:00Z"
            }
        ],
        "healthy": false
    },
    "meta": {}
}
`,
  )
  assert.equal(setUp(1).count.state.error, "didn't run yet")
})

test('a controller that answers is enough', async () => {
  const { controllers, ping } = setUp(0)
  const errorWith = async (...found: ControllerReadings[]) => {
    controllers.splice(0, controllers.length, ...found)
    await ping.ask()
    return ping.state.error
  }
  assert.equal(await errorWith(), 'no control channels established yet')
  assert.equal(await errorWith({ isConnected: false, isUnresponsive: true }), 'no control channels established yet')
  const slow = { isConnected: true, isUnresponsive: true }
  assert.equal(await errorWith(slow), 'control channels are slow')
  assert.equal(await errorWith(slow, { isConnected: true, isUnresponsive: false }), undefined)
})

test('too few links fail, with what there is and since when', async () => {
  const { links, count, time } = setUp(2)
  links.push(link)
  time.now += 3_000
  await count.ask()
  time.now += 5_000
  await count.ask()
  const { error, consecutiveFailures, failingSince, details } = count.state
  assert.deepEqual([error, consecutiveFailures], ['link count 1 less than configured minimum of 2', 3])
  assert.equal(failingSince, start)
  assert.deepEqual(details?.value, [link])
  links.push(link)
  await count.ask()
  assert.deepEqual(
    [count.state.error, count.state.consecutiveFailures, count.state.failingSince],
    [undefined, 0, undefined],
  )
})

test('a question without an answer fails in time, and is not asked twice', async () => {
  let asked = 0
  const never = () => {
    asked++
    return new Promise(() => {})
  }
  const clock = { now: Date.now, monotonic: () => performance.now() }
  const check = new HealthCheck({ id: 'x', ...schedule, timeout: 20, passesAtFirst: true, ask: never }, clock)
  await Promise.all([check.ask(), check.ask()])
  assert.deepEqual([asked, check.state.error], [1, 'no answer within 20 ms'])
})

test('questions are asked again and again until the end', async () => {
  let asked = 0
  const spec = { id: 'x', ...schedule, passesAtFirst: true, ask: () => void asked++ }
  using monitor = new HealthMonitor([spec], { now: Date.now, monotonic: () => performance.now() }).start()
  // The timers do not keep a process alive, so the test does.
  for (let waited = 0; asked < 3 && waited < 1_000; waited++) await sleep(5)
  assert.ok(asked >= 3)
  assert.deepEqual(JSON.parse(monitor.document(new URLSearchParams('type=short'))), {
    data: { checks: [{ healthy: true, id: 'x' }], healthy: true },
    meta: {},
  })
  assert.equal(JSON.parse(monitor.document(new URLSearchParams())).data.checks[0].details, null)
})
