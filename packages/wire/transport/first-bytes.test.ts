import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { test } from 'node:test'
import tls from 'node:tls'
import { certificates, serverMaterial } from '../testing/certificates.ts'
import { beginTlsWithFirstBytes } from './first-bytes.ts'

interface Echo extends AsyncDisposable {
  readonly port: number
}

/** A TLS server that says everything again. */
async function echoServer(patience: number): Promise<Echo> {
  const { certPem, keyPem } = serverMaterial.servers[0]!
  const server = tls.createServer({ cert: certPem, key: keyPem }, (socket) => socket.pipe(socket))
  server.on('tlsClientError', (_, socket) => socket.destroy())
  beginTlsWithFirstBytes(server, patience)
  const open = new Set<Socket>()
  server.on('connection', (socket) => open.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

/** What is written goes on one byte at a time, each when the one before is gone. */
function byteByByte(socket: Socket): Duplex {
  const slow = new Duplex({
    read() {},
    async write(chunk: Buffer, _encoding, done) {
      for (const byte of chunk) {
        socket.write(Buffer.from([byte]))
        await new Promise(setImmediate)
      }
      done()
    },
  })
  socket.on('data', (chunk) => slow.push(chunk))
  return slow
}

async function echoed(client: tls.TLSSocket): Promise<string> {
  await once(client, 'secureConnect')
  client.write('hello')
  const [chunk] = (await once(client, 'data')) as [Buffer]
  return String(chunk)
}

const limit = { timeout: 30_000 }
const trust = { ca: certificates.caPem, servername: 'localhost', checkServerIdentity: () => undefined }

test('clients are served whether their hello comes at once or byte by byte', limit, async () => {
  await using server = await echoServer(20_000)
  const whole = tls.connect({ host: '127.0.0.1', port: server.port, ...trust })
  assert.equal(await echoed(whole), 'hello')
  whole.destroy()
  const raw = connect(server.port, '127.0.0.1').setNoDelay(true)
  const slow = tls.connect({ socket: byteByByte(raw), ...trust })
  assert.equal(await echoed(slow), 'hello')
  slow.destroy()
  raw.destroy()
})

test('a client that says nothing is cut, and so is one that leaves without a word', limit, async () => {
  await using server = await echoServer(50)
  const silent = connect(server.port, '127.0.0.1')
  await once(silent, 'close')
  await using patient = await echoServer(25_000)
  const leaving = connect(patient.port, '127.0.0.1')
  leaving.end()
  leaving.resume()
  await once(leaving, 'close')
})
