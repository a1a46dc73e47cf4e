import assert from 'node:assert/strict'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { certificates, clientMaterial } from '../testing/certificates.ts'
import { freePort } from '../testing/free-port.ts'
import type { Connection } from './connection.ts'
import { dial } from './dial.ts'
import { listenOn } from './listen-on.ts'
import { TcpPort } from './tcp-port.ts'
import { TlsPort } from './tls-port.ts'

async function tlsPort(server = certificates.server, accept: (connection: Connection) => void = () => {}) {
  const port = await TlsPort.open({ host: '127.0.0.1', port: 0, tls: { servers: [server] } })
  port.registerChannels([''], accept)
  return port
}

/** A server that does with its connections what the test wants. */
async function plainServer(onConnection: (socket: Socket) => void) {
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('error', () => {})
    onConnection(socket)
  })
  const { port } = await listenOn(server, '127.0.0.1', 0)
  return {
    port,
    [Symbol.dispose]() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

function exchange(one: Connection, other: Connection, text: string): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  other.attach({ onData: (chunk) => resolve(chunk.toString()), onDrain() {}, onClose() {} })
  other.resume()
  one.write(Buffer.from(text))
  return promise
}

test('bytes travel over TCP', async () => {
  const { promise, resolve } = Promise.withResolvers<Connection>()
  await using port = await TcpPort.open('127.0.0.1', 0, resolve)
  const dialed = await dial(`tcp:127.0.0.1:${port.address.port}`)
  assert.equal(await exchange(dialed, await promise, 'there'), 'there')
  assert.equal(await exchange(await promise, dialed, 'back'), 'back')
  assert.deepEqual(dialed.certificates, [])
})

test('the end of one side is the end of the other', async () => {
  const { promise, resolve } = Promise.withResolvers<Connection>()
  await using port = await tlsPort(certificates.server, resolve)
  const dialed = await dial(`tls:127.0.0.1:${port.address.port}`, { tls: clientMaterial })
  const accepted = await promise
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  accepted.attach({ onData() {}, onDrain() {}, onClose: () => end() })
  accepted.resume()
  dialed.close()
  await ended
  assert.equal(accepted.isClosed, true)
})

test('servers with the wrong authority, or the wrong name, are not trusted', async () => {
  await using stranger = await tlsPort(certificates.strangerServer)
  const toStranger = dial(`tls:127.0.0.1:${stranger.address.port}`, { tls: clientMaterial })
  await assert.rejects(toStranger, { code: 'NOT_TRUSTED' })
  await using named = await tlsPort(certificates.namedServer)
  await assert.rejects(dial(`tls:localhost:${named.address.port}`, { tls: clientMaterial }), { code: 'NOT_TRUSTED' })
})

test('an intermediate alone is anchor enough', async () => {
  await using port = await tlsPort()
  const [, intermediate] = certificates.server.certPem.split(/(?=-----BEGIN)/)
  await dial(`tls:127.0.0.1:${port.address.port}`, { tls: { ...clientMaterial, caPem: intermediate! } })
})

test('nobody there, and nobody answering, end in time', async () => {
  const nowhere = dial(`tls:127.0.0.1:${await freePort()}`, { tls: clientMaterial })
  await assert.rejects(nowhere, { code: 'DIAL_FAILED', message: /ECONNREFUSED/ })
  using silent = await plainServer(() => {})
  const unanswered = dial(`tls:127.0.0.1:${silent.port}`, { tls: clientMaterial, timeoutMilliseconds: 50 })
  await assert.rejects(unanswered, { code: 'DIAL_TIMEOUT' })
  const abort = new AbortController()
  const given = dial(`tls:127.0.0.1:${silent.port}`, { tls: clientMaterial, signal: abort.signal })
  abort.abort()
  await assert.rejects(given, { code: 'DIAL_FAILED' })
})

test('a server that speaks something else is no peer', async () => {
  using web = await plainServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await assert.rejects(dial(`tls:127.0.0.1:${web.port}`, { tls: clientMaterial }), { code: 'DIAL_FAILED' })
  await assert.rejects(dial(`tls:127.0.0.1:${web.port}`), { code: 'BAD_IDENTITY' })
})

test('a proxy is asked for the way, with its credentials', async () => {
  const { promise, resolve } = Promise.withResolvers<Connection>()
  await using port = await tlsPort(certificates.server, resolve)
  const requests: string[] = []
  using proxy = await plainServer((socket) => {
    socket.once('data', (request) => {
      requests.push(request.toString())
      dial(`tcp:127.0.0.1:${port.address.port}`).then((onward) => {
        onward.attach({
          onData: (chunk) => void socket.write(chunk),
          onDrain() {},
          onClose: () => socket.destroy(),
        })
        onward.resume()
        socket.on('data', (chunk: Buffer) => void onward.write(chunk))
        socket.write('HTTP/1.1 200 Connection established\r\nVia: test\r\n\r\n')
      })
    })
  })
  const dialed = await dial(`tls:localhost:${port.address.port}`, {
    tls: clientMaterial,
    proxy: { host: '127.0.0.1', port: proxy.port, username: 'user', password: 'pass' },
  })
  assert.equal(await exchange(dialed, await promise, 'through'), 'through')
  assert.match(requests[0]!, new RegExp(`^CONNECT localhost:${port.address.port} HTTP/1.1\r\n`))
  assert.match(requests[0]!, /\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n/)
})

test('a proxy that refuses, talks too much or hangs up ends the dial', async () => {
  const answers: ((socket: Socket) => void)[] = [
    (socket) => socket.write('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n'),
    (socket) => socket.write('x'.repeat(20_000)),
    (socket) => socket.destroy(),
  ]
  for (const answer of answers) {
    using proxy = await plainServer((socket) => socket.once('data', () => answer(socket)))
    const dialed = dial('tls:localhost:1', { tls: clientMaterial, proxy: { host: '127.0.0.1', port: proxy.port } })
    await assert.rejects(dialed, { code: 'PROXY_REFUSED' })
  }
})
