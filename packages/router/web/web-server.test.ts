import assert from 'node:assert/strict'
import { get } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { CertificateAuthority, encodePrivateKey, generatePrivateKey, type Identity, publicKeyOf } from '@weft/pki'
import { MetricsRegistry } from '../metrics/registry.ts'
import { TlsPorts } from '../transport/tls-ports.ts'
import { healthApi, metricsApi } from './web-api.ts'
import { WebServer, type WebServerOptions } from './web-server.ts'

const limits = { timeout: 20_000 }
const log = { debug() {}, warn() {} }
const linkTarget = () => undefined
const health = healthApi({ document: (query) => JSON.stringify({ form: query.get('type') ?? 'whole' }) })
const key = await generatePrivateKey('P-256')
const keyPem = encodePrivateKey(key)
const root = await CertificateAuthority.createRoot(
  { subject: { commonName: 'root' }, keyKind: 'P-256' },
  { clock: Date },
)

function identityFor(host: string): Identity {
  const subject = { commonName: host }
  const { certificate, chainPem } = root.issueServerCertificate({ subject, publicKey: publicKeyOf(key), hosts: [host] })
  const keyed = { certificate, chain: [certificate], certPem: chainPem, key, keyPem }
  return { client: keyed, servers: [keyed], caBundle: [], caPem: '', files: [] }
}

async function start(changes: Partial<WebServerOptions> = {}, given?: TlsPorts) {
  const own = given ?? portsOf(identityFor('localhost'))
  const bindPoint = { host: '127.0.0.1', port: 0, newAddress: undefined, isPlainHttp: false }
  const options: WebServerOptions = {
    name: 'health',
    bindPoints: [bindPoint],
    apis: [health],
    readTimeout: 5_000,
    idleTimeout: 5_000,
    writeTimeout: 5_000,
    minTlsVersion: 'TLSv1.2',
    maxTlsVersion: 'TLSv1.3',
    identity: undefined,
    ...changes,
  }
  return await WebServer.start({ ports: own, log }, options)
}

function portsOf(identity: Identity): TlsPorts {
  return new TlsPorts({ identity: () => identity, log: { ...log, info() {}, error() {} } }, { handshakeTimeout: 5_000 })
}

async function ask(server: WebServer, path: string, options: { cert?: string; key?: string } = {}) {
  const { port } = server.addresses[0]!
  const request = get({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, ...options })
  const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject)
  })
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

test('the first API that fits answers, and the last answers the rest', limits, async () => {
  const registry = new MetricsRegistry({ monotonic: () => 0, random: () => 0.5 })
  registry.gauge('edge.connections', () => 2)
  const metrics = metricsApi({
    registry,
    routerId: 'r1',
    linkTarget,
    pinnedPem: undefined,
    includeTimestamps: false,
    now: () => 7,
  })
  await using server = await start({ apis: [metrics, health] })
  const whole = await ask(server, '/health-checks/deeper?x=1')
  assert.deepEqual(
    [whole.status, whole.headers['content-type'], whole.body],
    [200, 'application/json', '{"form":"whole"}'],
  )
  assert.equal((await ask(server, '/health-checks?type=short')).body, '{"form":"short"}')
  assert.equal((await ask(server, '/elsewhere')).body, '{"form":"whole"}')
  const read = await ask(server, '/metrics')
  assert.match(read.body, /^ziti_edge_connections\{source_id="r1"\} 2$/m)
  assert.match(read.headers['content-type']!, /^text\/plain; version=0\.0\.4/)
})

test('metrics behind a pin are for the holder of its key alone', limits, async () => {
  const registry = new MetricsRegistry({ monotonic: () => 0, random: () => 0.5 })
  registry.gauge('a', () => 1)
  const pinned = identityFor('scraper').client!
  const other = identityFor('other').client!
  const api = (now: () => number) =>
    metricsApi({ registry, routerId: 'r1', linkTarget, pinnedPem: pinned.certPem, includeTimestamps: false, now })
  await using server = await start({ apis: [api(Date.now)] })
  assert.deepEqual([(await ask(server, '/metrics')).status, (await ask(server, '/metrics')).body], [401, ''])
  assert.equal((await ask(server, '/metrics', { cert: other.certPem, key: other.keyPem })).status, 401)
  assert.equal((await ask(server, '/metrics', { cert: pinned.certPem, key: pinned.keyPem })).status, 200)
  await using later = await start({ apis: [api(() => Date.now() + 100 * 365 * 86_400_000)] })
  assert.equal((await ask(later, '/metrics', { cert: pinned.certPem, key: pinned.keyPem })).status, 401)
})

test('links are at the same port, and monitors may see other certificates than they', limits, async () => {
  await using ports = portsOf(identityFor('router'))
  const shown = async (port: number, ...ALPNProtocols: string[]) => {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    const { subject } = socket.getPeerCertificate()
    const closed = new Promise((resolve) => socket.once('close', resolve))
    // The other side may be gone first.
    socket.on('error', () => {}).resume()
    socket.end()
    await closed
    return subject.CN
  }
  await using use = await ports.use({ host: '127.0.0.1', port: 0 })
  const { port } = use.port.address
  await use[Symbol.asyncDispose]()
  const place = { host: '127.0.0.1', port }
  await using links = await ports.use(place)
  const linked: string[] = []
  links.port.register(['ziti-link'], {
    requiresCertificate: false,
    accept(socket) {
      linked.push(String(socket.alpnProtocol))
      socket.destroy()
    },
  })
  const bindPoints = [{ ...place, newAddress: undefined, isPlainHttp: false }]
  {
    await using server = await start({ bindPoints, identity: identityFor('monitors') }, ports)
    assert.equal((await ask(server, '/')).status, 200)
    assert.equal(await shown(port, 'ziti-link'), 'router')
    assert.equal(await shown(port, 'h2', 'http/1.1'), 'monitors')
    server.renew(identityFor('renewed'))
    assert.equal(await shown(port, 'http/1.1'), 'renewed')
    await assert.rejects(start({ bindPoints }, ports), { code: 'PROTOCOL_TAKEN' })
    await assert.rejects(start({ bindPoints, minTlsVersion: 'TLSv1.3' }, ports), {
      code: 'LISTEN_FAILED',
      message: /shared with others, whose TLS versions are TLSv1\.2 to TLSv1\.3/,
    })
  }
  assert.equal(await shown(port, 'ziti-link'), 'router', 'the end of one is not the end of the other')
  assert.deepEqual(linked, ['ziti-link', 'ziti-link'])
})

test('TLS versions are those of the options', limits, async () => {
  await using server = await start({ minTlsVersion: 'TLSv1.2', maxTlsVersion: 'TLSv1.2' })
  const { port } = server.addresses[0]!
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await new Promise((resolve) => socket.once('secureConnect', resolve))
  assert.equal(socket.getProtocol(), 'TLSv1.2')
  socket.destroy()
})

test('a client that stops in the middle of a request is cut, over TLS too', limits, async () => {
  await using server = await start({ readTimeout: 200 })
  const { port } = server.addresses[0]!
  const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  socket.write('GET / HTTP/1.1\r\nx: ')
  let answer = ''
  for await (const chunk of socket) answer += chunk
  assert.match(answer, /^HTTP\/1\.1 408 /)
})

test('an API that fails costs the caller its answer, and no more', limits, async () => {
  const broken = {
    root: '/broken',
    answer: () => {
      throw new Error('broken')
    },
  }
  await using server = await start({ apis: [broken, health] })
  assert.equal((await ask(server, '/broken')).status, 500)
  assert.equal((await ask(server, '/health-checks')).status, 200)
})

test('a taken interface is refused, and nothing stays open', limits, async () => {
  await using server = await start()
  const { port } = server.addresses[0]!
  const taken = { host: '127.0.0.1', port, newAddress: undefined, isPlainHttp: true }
  await assert.rejects(start({ bindPoints: [{ ...taken, port: 0 }, taken] }), { code: 'EADDRINUSE' })
})

test('plain HTTP, the new address, and a client that never asks', limits, async () => {
  const bindPoint = { host: '127.0.0.1', port: 0, newAddress: 'r1.example.net:8082', isPlainHttp: true }
  await using server = await start({ bindPoints: [bindPoint], readTimeout: 200 })
  const { port } = server.addresses[0]!
  const answer = await fetch(`http://127.0.0.1:${port}/health-checks`)
  assert.equal(answer.headers.get('ziti-ctrl-address'), 'https://r1.example.net:8082')
  const silent = connect(port, '127.0.0.1')
  silent.write('GET / HTTP/1.1\r\nx: ')
  silent.resume()
  await new Promise((resolve) => silent.once('close', resolve))
})
