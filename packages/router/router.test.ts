import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { dial } from '@weft/wire'
import { dataState } from '@weft/wire/messages'
import { loadRouterConfig } from './config/load-router-config.ts'
import { loadModelFile, saveModelFile } from './data-model/model-file.ts'
import { Router } from './router.ts'
import { eventually } from './testing/eventually.ts'
import { testIdentity } from './testing/test-router-links.ts'

const limits = { timeout: 20_000 }
const folder = mkdtempSync(join(tmpdir(), 'weft-router-'))
after(() => rmSync(folder, { recursive: true }))
const { client, servers, caPem } = await testIdentity('r-1')
const at = (name: string) => join(folder, name)
await writeFile(at('r.key'), client!.keyPem, { mode: 0o600 })
await writeFile(at('r.cert'), client!.certPem)
await writeFile(at('r.server.cert'), servers[0]!.certPem)
await writeFile(at('r.cas'), caPem)

const identity = '{ cert: r.cert, server_cert: r.server.cert, key: r.key, ca: r.cas }'

interface Setting {
  readonly identity?: string
  readonly advertise?: string
  readonly port?: number
  readonly sections?: string
}

/** A router without any controller. */
function start(options: Setting = {}) {
  const { advertise = 'tls:127.0.0.1:1', port = 0, sections = '' } = options
  const text = `v: 3
identity: ${options.identity ?? identity}
ctrl: { endpoints: ["tls:127.0.0.1:1"], endpointsFile: sub/endpoints.yml, startupTimeout: 200ms }
link: { dialers: [{ binding: transport }], listeners: [{ binding: transport, bind: "tls:127.0.0.1:${port}", advertise: "${advertise}" }] }
${sections}
`
  const failures: string[] = []
  const lines: string[] = []
  const note = (message: string) => void lines.push(message)
  const log = { debug() {}, info: note, warn: note, error: note }
  const { config } = loadRouterConfig({ fileName: at('r.yml'), text }, {})
  const router = Router.start(
    {
      clock: { now: () => Date.now(), monotonic: () => performance.now() },
      log,
      levels: { setLevel() {} },
      onFailure: (error) => void failures.push((error as Error & { code: string }).code),
    },
    { config, baseDirectory: folder },
  )
  return { router, failures, lines }
}

test(
  'without a controller it serves the model of the last run, and says in time that nobody came',
  limits,
  async () => {
    const kept = { events: [{ model: { kind: 'service' as const, value: { id: 's1', name: 'web' } } }], endIndex: 47 }
    const path = at('r.yml.proto.gzip')
    await saveModelFile(path, dataState.decode(dataState.encode({ ...kept, timelineId: 't1' })))
    const sections = `edge: {}
listeners: [{ binding: edge, address: "tls:127.0.0.1:0", options: { advertise: "127.0.0.1:1" } }]`
    const { router: starting, failures } = start({ sections })
    {
      await using router = await starting
      assert.equal(router.routerId, 'r-1')
      assert.deepEqual([router.model.model.index, [...router.model.model.tables.service.keys()]], [47, ['s1']])
      assert.ok(statSync(at('sub')).isDirectory())
      await eventually(() => failures.join() === 'STARTUP_TIMEOUT', 'the time is over')
    }
    assert.equal((await loadModelFile(path))?.endIndex, 47)
  },
)

test('a host that no certificate covers, and a port that is taken, are told; nothing stays open', limits, async () => {
  await assert.rejects(start({ advertise: 'tls:elsewhere.example:1' }).router, { code: 'UNCOVERED_HOSTS' })
  await using first = await start().router
  assert.equal(first.links.listeners()[0]?.address, 'tls:127.0.0.1:1')
  const server = createServer().listen(0, '127.0.0.1')
  await eventually(() => server.listening, 'the port is taken')
  const { port } = server.address() as { port: number }
  await assert.rejects(start({ port }).router, { code: 'LISTEN_FAILED' })
  server.close()
  await eventually(() => !server.listening, 'the port is free')
  await using _again = await start({ port }).router
})

test('a file that is not read, and certificates that lie elsewhere, do not keep it from starting', limits, async () => {
  await writeFile(at('r.yml.proto.gzip'), 'no model')
  const sections = `edge: {}
listeners: [{ binding: edge, address: "tls:127.0.0.1:0", options: { advertise: "127.0.0.1:1" } }]`
  const { router: starting, lines } = start({
    sections,
    identity: '{ cert: r.server.cert, key: r.key, ca: r.cas }',
  })
  await using router = await starting
  assert.equal(router.model.model.index, 0)
  assert.deepEqual(
    [
      'circuits are not carried yet; these settings have no effect',
      'the kept data model cannot be used; a controller will send it',
      'the router does not renew its certificates by itself',
    ].filter((message) => !lines.includes(message)),
    [],
  )
})

test('monitors, links and their own certificates are at one port', limits, async () => {
  const probe = createServer().listen(0, '127.0.0.1')
  await eventually(() => probe.listening, 'a port is found')
  const { port } = probe.address() as { port: number }
  probe.close()
  await eventually(() => !probe.listening, 'and free')
  const address = `127.0.0.1:${port}`
  const sections = `web:
  - name: monitors
    bindPoints: [{ interface: "${address}", address: "${address}" }]
    apis: [{ binding: health-checks }]`
  const { router: starting, lines } = start({ port, sections })
  await using _router = await starting
  const [status, body] = await new Promise<[number | undefined, string]>((resolve, reject) => {
    const asked = get({ host: '127.0.0.1', port, path: '/health-checks?type=short', ca: caPem, agent: false })
    asked.once('error', reject).once('response', (response) => {
      readText(response).then((text) => resolve([response.statusCode, text]), reject)
    })
  })
  assert.equal(status, 200)
  assert.deepEqual(
    JSON.parse(body).data.checks.map(({ id }: { id: string }) => id),
    ['controllerPing', 'link.health'],
  )
  const tls = { client: client!, caPem }
  const link = await dial(`tls:${address}`, { protocols: ['ziti-link'], tls })
  assert.equal(link.protocol, 'ziti-link')
  link.destroy()
  assert.ok(!lines.includes('web server not started'), lines.join())
})
