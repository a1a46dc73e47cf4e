import assert from 'node:assert/strict'
import type { KeyObject } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { encodePrivateKey, generatePrivateKey, publicKeyOf } from '../keys.ts'
import { type EnrollmentServer, type Intercept, startEnrollmentServer } from '../testing/enrollment-server.ts'
import { makeNetwork } from '../testing/network.ts'
import { HttpsTransport } from './https-transport.ts'

let server: EnrollmentServer
let intercept: Intercept | undefined
let serverKey: KeyObject
let url: URL
const transport = new HttpsTransport({ timeout: 400 })

before(async () => {
  server = await startEnrollmentServer({ intercept: (asked, response) => intercept?.(asked, response) })
  url = new URL(`https://${server.address}/some/path?a=b%20c`)
  serverKey = server.signer.certificate.publicKey
})

after(() => server[Symbol.asyncDispose]())

async function answered(answer: (response: ServerResponse) => void) {
  intercept = (_asked, response) => {
    answer(response)
    return 'answered'
  }
  try {
    return await transport.request({ method: 'GET', url, serverKey })
  } finally {
    intercept = undefined
  }
}

/** A server that accepts and then does what it likes with the bytes. */
async function rawServer(treat: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const listener = createServer((socket) => {
    sockets.add(socket.on('error', () => {}))
    treat(socket)
  })
  listener.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  return {
    url: new URL(`https://127.0.0.1:${(listener.address() as AddressInfo).port}`),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      listener.close()
      await once(listener, 'close')
    },
  }
}

test('shows the certificate of a server, by address and by name', async () => {
  for (const host of [server.address, server.address.replace('127.0.0.1', 'localhost')]) {
    const leaf = await transport.fetchLeaf(new URL(`https://${host}`), {})
    assert.ok(leaf.equals(server.signer.certificate))
  }
})

test('sends method, path, headers, body and certificate, and returns the whole answer', async () => {
  const { network } = server
  const { chainPem: certPem } = network.intermediate.issueClientCertificate({
    subject: { commonName: 'me' },
    publicKey: network.publicKey,
  })
  const answer = await transport.request({
    method: 'POST',
    url,
    headers: { 'content-type': 'text/plain', 'x-test': '1' },
    body: 'grüße',
    serverKey,
    clientCertificate: { certPem, keyPem: encodePrivateKey(network.key) },
  })
  assert.equal(answer.status, 200)
  assert.match(answer.body.toString(), /"version":"v2\.1\.0"/)
  const { headers, leaf, ...asked } = server.asked.at(-1)!
  const expected = { method: 'POST', path: '/some/path', query: { a: 'b c' }, body: 'grüße', presented: 'CN=me' }
  assert.deepEqual(asked, expected)
  assert.equal(leaf!.commonName, 'me')
  assert.deepEqual([headers.host, headers['x-test'], headers['content-length']], [server.address, '1', '7'])
})

test('a server is recognised by the authorities of its network, under its own name only', async () => {
  const authorities = server.network.root.certificate.pem
  assert.equal((await transport.request({ method: 'GET', url, authorities })).status, 200)
  const before = server.asked.length
  const stranger = (await makeNetwork('stranger.example', Date)).root.certificate.pem
  const refused = { code: 'SERVER_UNTRUSTED', message: new RegExp(server.address) }
  await assert.rejects(transport.request({ method: 'POST', url, body: 'secret', authorities: stranger }), refused)
  // The same server under an address that its certificate does not name; unreachable where there is no IPv6.
  const mapped = new URL(url.href.replace('127.0.0.1', '[::ffff:127.0.0.1]'))
  await assert.rejects(transport.request({ method: 'POST', url: mapped, body: 'secret', authorities }), {
    code: /^(SERVER_UNTRUSTED|UNREACHABLE)$/,
  })
  assert.equal(server.asked.length, before)
})

test('a server with another key is told nothing', async () => {
  const before = server.asked.length
  const other = publicKeyOf(await generatePrivateKey('P-256'))
  await assert.rejects(transport.request({ method: 'POST', url, body: 'secret', serverKey: other }), {
    code: 'SERVER_CHANGED',
  })
  assert.equal(server.asked.length, before)
})

test('redirects are answers, not orders', async () => {
  const { status, headers } = await answered((response) => {
    response.writeHead(302, { location: 'https://elsewhere.example/' }).end()
  })
  assert.deepEqual([status, headers.location], [302, 'https://elsewhere.example/'])
})

test('an answer that is too large is cut off', async () => {
  const endless = (response: ServerResponse) => {
    const part = Buffer.alloc(256 * 1024)
    for (let count = 0; count < 16; count++) response.write(part)
  }
  await assert.rejects(answered(endless), { code: 'BAD_ANSWER', message: /larger than 2097152 bytes/ })
})

test('an answer that never comes, never ends or breaks off is waited for no longer than agreed', async () => {
  const started = performance.now()
  await assert.rejects(
    answered(() => {}),
    { code: 'UNREACHABLE', message: /no answer within 0\.4 s/ },
  )
  await assert.rejects(
    answered((response) => void response.write('x')),
    { code: 'UNREACHABLE' },
  )
  assert.ok(performance.now() - started < 5_000)
  await assert.rejects(
    answered((response) => {
      response.writeHead(200, { 'content-length': '10' })
      response.write('x', () => response.destroy())
    }),
    { code: 'UNREACHABLE' },
  )
})

test('a server that is not there, silent, or no TLS at all is unreachable', async () => {
  await using silent = await rawServer(() => {})
  await using chatty = await rawServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await using closing = await rawServer((socket) => socket.destroy())
  const gone = await rawServer(() => {})
  await gone[Symbol.asyncDispose]()
  for (const { url } of [silent, chatty, closing, gone]) {
    await assert.rejects(transport.fetchLeaf(url, {}), { code: 'UNREACHABLE' })
    await assert.rejects(transport.request({ method: 'GET', url, serverKey }), { code: 'UNREACHABLE' })
  }
})

test('the caller can call it off, before and meanwhile', async () => {
  await using silent = await rawServer(() => {})
  const reason = new Error('never mind')
  await assert.rejects(transport.fetchLeaf(silent.url, { signal: AbortSignal.abort(reason) }), reason)
  const patient = new HttpsTransport({ timeout: 60_000 })
  const controller = new AbortController()
  const waiting = patient.request({ method: 'GET', url: silent.url, serverKey, signal: controller.signal })
  setTimeout(() => controller.abort(reason), 20)
  await assert.rejects(waiting, reason)
})
