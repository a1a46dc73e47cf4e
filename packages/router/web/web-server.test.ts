import assert from 'node:assert/strict'
import { get } from 'node:https'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { CertificateAuthority, encodePrivateKey, generatePrivateKey, type Identity, publicKeyOf } from '@weft/pki'
import { MetricsRegistry } from '../metrics/registry.ts'
import { healthApi, metricsApi } from './web-api.ts'
import { WebServer, type WebServerOptions } from './web-server.ts'

const limits = { timeout: 20_000 }
const log = { debug() {}, warn() {} }
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

function start(changes: Partial<WebServerOptions> = {}) {
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
    ...changes,
  }
  return WebServer.start({ identity: identityFor('localhost'), log }, options)
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
  const metrics = metricsApi({ registry, routerId: 'r1', pinnedPem: undefined, includeTimestamps: false, now: () => 7 })
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
    metricsApi({ registry, routerId: 'r1', pinnedPem: pinned.certPem, includeTimestamps: false, now })
  await using server = await start({ apis: [api(Date.now)] })
  assert.deepEqual([(await ask(server, '/metrics')).status, (await ask(server, '/metrics')).body], [401, ''])
  assert.equal((await ask(server, '/metrics', { cert: other.certPem, key: other.keyPem })).status, 401)
  assert.equal((await ask(server, '/metrics', { cert: pinned.certPem, key: pinned.keyPem })).status, 200)
  await using later = await start({ apis: [api(() => Date.now() + 100 * 365 * 86_400_000)] })
  assert.equal((await ask(later, '/metrics', { cert: pinned.certPem, key: pinned.keyPem })).status, 401)
})

test('renewed certificates are shown to new connections', limits, async () => {
  await using server = await start()
  const shown = async () => {
    const socket = connectTls({ port: server.addresses[0]!.port, host: '127.0.0.1', rejectUnauthorized: false })
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    const { subject } = socket.getPeerCertificate()
    socket.destroy()
    return subject.CN
  }
  assert.equal(await shown(), 'localhost')
  server.renew(identityFor('renewed'))
  assert.equal(await shown(), 'renewed')
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
