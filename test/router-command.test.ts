/** `weft router run` as an operator meets it: what it says when it cannot start, and how it can be looked at while it runs. */
import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { test } from 'node:test'
import { agentMessages } from '@weft/wire/messages'
import { AgentClient } from './kit/agent-client.ts'
import { ApiClient } from './kit/api-client.ts'
import { runWeft } from './kit/controller-process.ts'
import { freePort } from './kit/free-port.ts'
import { until } from './kit/patience.ts'
import { RouterProcess } from './kit/router-process.ts'
import { sharedStart } from './kit/running.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const limits = { timeout: 60_000 }
const running = sharedStart()

async function enrolled(folder: string, name: string, sections = ''): Promise<RouterProcess> {
  const { admin } = running()
  const id = await admin.create('edge-routers', { name })
  const { enrollmentJwt } = await admin.detail(`/edge-routers/${id}`)
  return RouterProcess.enroll({ name, jwt: String(enrollmentJwt), folder, sections })
}

function fetchText(port: number, path: string, ca: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  request({ host: '127.0.0.1', port, path, ca, agent: false }, (response) => resolve(readText(response)))
    .on('error', reject)
    .end()
  return promise
}

test('it is online, healthy and measured, and its certificates can be renewed', limits, async () => {
  await using folder = await temporaryFolder('router-command')
  const { controller, admin } = running()
  const port = await freePort()
  const address = `127.0.0.1:${port}`
  const sections = `
web:
  - name: monitors
    bindPoints: [{ interface: "${address}", address: "${address}" }]
    apis: [{ binding: health-checks }, { binding: metrics }]
trace: { path: "${join(folder.path, 'ctrl.trace')}" }
metrics: { reportInterval: 1s }
healthChecks: { ctrlPingCheck: { interval: 1s, timeout: 1s, initialDelay: 100ms } }
`
  await using router = await enrolled(folder.path, 'r1', sections)
  const certificate = join(router.file, '..', 'r1.cert')
  const before = await readFile(certificate, 'utf8')
  await router.run({ flags: ['--no-cliagent', '--extend'] })
  const isOnline = async () => (await admin.detail(`/edge-routers/${router.routerId}`))['isOnline'] === true
  await until('it is online', isOnline)
  await until('its certificates are renewed', async () => (await readFile(certificate, 'utf8')) !== before)
  const health = async () => JSON.parse(await fetchText(port, '/health-checks', controller.ca))
  await until('it is healthy', async () => (await health()).data.healthy === true)
  assert.match(await fetchText(port, '/metrics', controller.ca), /ziti_pool_link_dialer_queue_size/)
  const { code } = await router.child.stop('SIGTERM')
  assert.equal(code, 0, router.child.stderr)
  assert.ok((await readFile(join(folder.path, 'ctrl.trace'))).length > 100, 'what was said is recorded')
  assert.doesNotMatch(router.child.stderr, /"level":"error"/)
  await router.run()
  await until('it is known by its new certificate', isOnline)
})

test('what keeps it from starting is said in a line', limits, async () => {
  await using folder = await temporaryFolder('router-command')
  await using router = await enrolled(folder.path, 'r2')
  const good = await readFile(router.file, 'utf8')
  const ends = async (text: string) => {
    await writeFile(router.file, text)
    await using child = runWeft(['router', 'run', router.file, '--no-cliagent'], { cwd: folder.path })
    const { code } = await child.ended
    assert.equal(code, 1, child.stderr)
    assert.doesNotMatch(child.stderr, /\n {4}at /, 'a stack is for bugs')
    return child.stderr
  }
  assert.match(
    await ends(good.replaceAll('advertise: "tls:127.0.0.1:', 'advertise: "tls:elsewhere.example:')),
    /no server certificate covers elsewhere\.example/,
  )
  assert.match(await ends(good.replace('r2.key', 'none.key')), /identity\.key .*none\.key/)
  assert.match(await ends(good.replace('v: 3', 'v: 4')), /r2\.yml/)
  const nobody = (await freePort()).toString()
  await writeFile(join(router.file, '..', 'endpoints.yml'), `endpoints: ["tls:127.0.0.1:${nobody}"]\n`)
  const alone = good.replace(/^ctrl:\n/mu, 'ctrl:\n  startupTimeout: 500ms\n')
  assert.notEqual(alone, good)
  assert.match(await ends(alone), /no controller was reached within 0\.5 s/)
})

test('a router that was deleted is turned away for good', limits, async () => {
  await using folder = await temporaryFolder('router-command')
  await using router = await enrolled(folder.path, 'r3')
  await router.run()
  const { admin, controller } = running()
  await until('it is online', async () => (await admin.detail(`/edge-routers/${router.routerId}`))['isOnline'] === true)
  assert.equal((await admin.delete(`/edge-routers/${router.routerId}`)).status, 200)
  await until('its channel has ended', () => router.child.stderr.includes('control channel ended'))
  using fabric = new ApiClient(controller, { base: '/fabric/v1', token: admin.token! })
  assert.deepEqual(await fabric.list('/routers', `id = "${router.routerId}"`), [])
  assert.ok(!router.child.hasEnded, 'its operator decides what becomes of it')
})

test(
  'its operator looks into it, takes it out of service and cuts its channels, over the local socket',
  limits,
  async () => {
    await using folder = await temporaryFolder('router-command')
    await using router = await enrolled(folder.path, 'r4')
    const socket = join(folder.path, 'agent.sock')
    await router.run({ flags: ['--cli-agent-addr', `unix:${socket}`, '--debug-ops'] })
    const { admin } = running()
    const isOnline = async () => (await admin.detail(`/edge-routers/${router.routerId}`))['isOnline'] === true
    await until('it is online', isOnline)
    await using agent = await AgentClient.connect(socket)
    const names = [
      'links',
      'config',
      'router-controllers',
      'router-data-model-index',
      'router-config-registry',
      'metrics',
    ]
    const values = await agent.inspect(...names, 'nothing')
    assert.deepEqual([...values.keys()], names)
    assert.equal(JSON.parse(values.get('router-config-registry')!).handlers[0].applied.source, 'local')
    assert.doesNotMatch(values.get('config')!, /PRIVATE KEY/)
    const ask = (name: 'dumpLinks' | 'dumpForwarderTables' | 'quiesce' | 'dequiesce') =>
      agent.ask(agentMessages.encode(name, {}))
    assert.deepEqual(
      [(await ask('dumpLinks')).text, (await ask('dumpForwarderTables')).text],
      ['no links\n', 'no circuits\n'],
    )
    assert.equal((await ask('quiesce')).isSuccess, true)
    assert.equal((await ask('dequiesce')).isSuccess, true)
    const toggle = (isOn: boolean, body = '') => agent.ask(agentMessages.encode('toggleCtrlChannel', { isOn, body }))
    assert.equal((await toggle(false, 'nobody')).isSuccess, false)
    assert.equal((await toggle(false)).isSuccess, true)
    await until('it is cut off', async () => !(await isOnline()))
    assert.equal((await ask('quiesce')).text, 'no controller is connected')
    assert.equal((await toggle(true)).isSuccess, true)
    await until('it is back', isOnline)
  },
)
