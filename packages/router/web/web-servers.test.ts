import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { CertificateAuthority, generatePrivateKey, publicKeyOf, writeRouterIdentity } from '@weft/pki'
import { loadRouterConfig } from '../config/load-router-config.ts'
import type { WebServerConfig } from '../config/router-config.ts'
import { HealthMonitor } from '../health/health-monitor.ts'
import { RouterIdentity } from '../identity/router-identity.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import { TlsPorts } from '../transport/tls-ports.ts'
import { startWebServers } from './web-servers.ts'

const limits = { timeout: 20_000 }
const folder = mkdtempSync(join(tmpdir(), 'weft-web-servers-'))
after(() => rmSync(folder, { recursive: true }))

async function setUp(web: string) {
  const root = await CertificateAuthority.createRoot({ subject: { commonName: 'root' } }, { clock: Date })
  const key = await generatePrivateKey('P-256')
  const request = { subject: { commonName: 'r-1' }, publicKey: publicKeyOf(key) }
  const at = (name: string) => join(folder, name)
  const files = { key: at('r.key'), cert: at('r.cert'), serverCert: at('r.server'), ca: at('r.cas') }
  const server = root.issueServerCertificate({ ...request, hosts: ['localhost'] })
  await writeRouterIdentity(files, {
    key,
    clientChain: [root.issueClientCertificate(request).certificate],
    serverChain: [server.certificate],
    authorities: [root.certificate],
  })
  writeFileSync(at('scraper.pem'), server.chainPem)
  const text = `v: 3\nidentity: { cert: r.cert, key: r.key, server_cert: r.server, ca: r.cas }\nctrl: {}\n${web}`
  const { config } = loadRouterConfig({ fileName: at('router.yml'), text }, {}, {})
  const lines: string[] = []
  const add = (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push(`${message} ${fields?.['server'] ?? ''}`)
  const log = { debug() {}, info: add, warn: add, error: add }
  const identity = await RouterIdentity.load({ clock: Date, log }, { section: config.identity, baseDirectory: folder })
  const monotonic = () => performance.now()
  const health = new HealthMonitor([], { now: Date.now, monotonic })
  const metrics = new MetricsRegistry({ monotonic, random: Math.random })
  metrics.gauge('edge.connections', () => 1)
  const ports = new TlsPorts({ identity: () => identity.current, log }, config.tls)
  const servers = await startWebServers({ ...config, web: config.web.map(anywhere) }, folder, {
    ports,
    identity,
    health,
    metrics,
    linkTarget: () => undefined,
    clock: Date,
    log,
  })
  const dispose = async () => {
    await servers[Symbol.asyncDispose]()
    await identity[Symbol.asyncDispose]()
  }
  return { ...servers, lines, [Symbol.asyncDispose]: dispose }
}

/** Port 9, which the file can name, stands for any that is free, which it cannot. */
function anywhere(server: WebServerConfig): WebServerConfig {
  const bindPoints = server.bindPoints.map((bindPoint) =>
    'interface' in bindPoint && bindPoint.interface.port === 9
      ? { ...bindPoint, interface: { ...bindPoint.interface, port: 0 } }
      : bindPoint,
  )
  return { ...server, bindPoints }
}

async function taken(): Promise<Server & Disposable> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return Object.assign(server, { [Symbol.dispose]: () => void server.close() })
}

test('one that cannot listen does not keep the others from serving', limits, async () => {
  using other = await taken()
  const { port } = other.address() as { port: number }
  await using web = await setUp(`
web:
  - name: taken
    bindPoints: [{ interface: "127.0.0.1:${port}", address: "localhost:${port}" }]
    apis: [{ binding: health-checks }]
  - name: pinned
    bindPoints: [{ interface: "127.0.0.1:${port}", address: "localhost:1", plainHttp: true }]
    apis: [{ binding: metrics, options: { scrapeCert: none.pem } }]
  - name: own
    identity: { cert: r.cert, key: missing.key, server_cert: r.server, ca: r.cas }
    bindPoints: [{ interface: "127.0.0.1:${port}", address: "localhost:1" }]
    apis: [{ binding: health-checks }]
`)
  assert.equal(web.servers.length, 0)
  assert.deepEqual(
    web.lines.filter((line) => line.startsWith('web server not started')),
    ['web server not started taken', 'web server not started pinned', 'web server not started own'],
  )
})

test('health and metrics are served as configured', limits, async () => {
  await using web = await setUp(`
web:
  - name: plain
    bindPoints:
      - { interface: "127.0.0.1:9", address: "localhost:9", plainHttp: true }
      - { identity: { file: id.json, service: health } }
    apis: [{ binding: health-checks }, { binding: metrics }]
`)
  assert.ok(
    web.lines.some((line) => line.includes('overlay is not supported here plain')),
    web.lines.join(),
  )
  const { port } = web.servers[0]!.addresses[0]!
  const at = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then((answer) => answer.text())
  assert.deepEqual(JSON.parse(await at('/health-checks')), { data: { checks: [], healthy: true }, meta: {} })
  assert.match(await at('/metrics'), /^ziti_edge_connections\{source_id="r-1"\} 1$/m)
})

test('an address that no certificate covers is told, and served all the same', limits, async () => {
  await using web = await setUp(`
web:
  - name: elsewhere
    bindPoints: [{ interface: "127.0.0.1:9", address: "elsewhere.example:9" }]
    apis: [{ binding: health-checks }]
`)
  assert.equal(web.servers.length, 1)
  assert.ok(web.lines.includes('no server certificate covers the address of a web server elsewhere'), web.lines.join())
})
