/**
 * Those who come to the server for monitors and drip, stall, send half a request or far too much, or take no answer. Each
 * meets a bound of time, number or memory, and monitors are answered meanwhile.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { heldBytes } from '@weft/wire/testing/held-bytes.ts'
import { testIdentity } from '../testing/test-router-links.ts'
import { TlsPorts } from '../transport/tls-ports.ts'
import { healthApi } from './web-api.ts'
import { WebServer } from './web-server.ts'

const limits = { timeout: 30_000 }
/** Milliseconds: for a request, and of a busy machine. */
const readTimeout = 500
const patience = 10_000
const mostConnections = 1_000
const MEBIBYTE = 1_048_576
const log = { debug() {}, info() {}, warn() {}, error() {} }
const identity = await testIdentity('r1')
const answer = 'x'.repeat(10_000)

async function start(): Promise<WebServer> {
  const ports = new TlsPorts({ identity: () => identity, log }, { handshakeTimeout: readTimeout })
  return await WebServer.start(
    { ports, log },
    {
      name: 'monitors',
      bindPoints: [{ host: '127.0.0.1', port: 0, newAddress: undefined, isPlainHttp: true }],
      apis: [healthApi({ document: () => answer })],
      ...{ readTimeout, idleTimeout: readTimeout, writeTimeout: readTimeout },
      ...{ minTlsVersion: 'TLSv1.2', maxTlsVersion: 'TLSv1.3', identity: undefined },
    },
  )
}

async function open({ addresses }: WebServer): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port: addresses[0]!.port })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function isServed({ addresses }: WebServer): Promise<void> {
  const request = get({ host: '127.0.0.1', port: addresses[0]!.port, path: '/health-checks', agent: false })
  const [response] = await once(request, 'response')
  assert.equal((await text(response)).length, answer.length)
}

async function isCut(socket: Socket): Promise<void> {
  const started = performance.now()
  socket.resume()
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  // Requests that take too long are looked for once a second.
  assert.ok(performance.now() - started < readTimeout + 1_000 + patience)
}

test('a request that comes drop by drop, in half or with a body that never ends is cut in time', limits, async () => {
  await using server = await start()
  const [dripping, half, endless, silent] = await Promise.all([open(server), open(server), open(server), open(server)])
  const drip = setInterval(() => dripping.writable && dripping.write('x'), 50)
  dripping.write('GET / HTTP/1.1\r\nx-slow: ')
  half.write('GET /health-che')
  endless.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${2 ** 40}\r\n\r\n`)
  const filling = setInterval(() => endless.writable && endless.write(Buffer.alloc(10_000)), 50)
  await isServed(server)
  await Promise.all([dripping, half, endless, silent].map(isCut))
  clearInterval(drip)
  clearInterval(filling)
  await isServed(server)
})

test('a head of more bytes than it may have, and what is no request, is refused at once', limits, async () => {
  await using server = await start()
  const long = await open(server)
  long.write(`GET / HTTP/1.1\r\nhost: a\r\nx-long: ${'x'.repeat(17_000)}\r\n\r\n`)
  assert.match(await text(long), /^HTTP\/1\.1 431 /)
  const other = await open(server)
  other.write(Buffer.alloc(1_000, 0x16))
  assert.match(await text(other), /^HTTP\/1\.1 400 /)
  await isServed(server)
})

test('connections beyond the bound are turned away, and there is room again when others end', limits, async () => {
  await using server = await start()
  const sockets: Socket[] = []
  // Not all at once: what the system does not hold for the server would wait for ever to be noticed.
  for (let batch = 0; batch < (mostConnections + 200) / 100; batch++) {
    sockets.push(...(await Promise.all(Array.from({ length: 100 }, () => open(server)))))
  }
  await sleep(100)
  const turnedAway = sockets.filter((socket) => socket.resume() && (socket.destroyed || socket.readableEnded)).length
  assert.ok(turnedAway <= 200, `${turnedAway} turned away`)
  await Promise.all(sockets.map(isCut))
  await isServed(server)
})

test('who asks many times and takes no answer costs little, and is cut in time', limits, async () => {
  await using server = await start()
  const greedy = await open(server)
  greedy.pause()
  const before = heldBytes()
  const requests = Buffer.from('GET / HTTP/1.1\r\nhost: a\r\n\r\n'.repeat(500))
  // Until nothing more is taken.
  for (let nth = 0; nth < 50 && greedy.write(requests); nth++) await new Promise(setImmediate)
  await isServed(server)
  const grown = heldBytes() - before
  assert.ok(grown < 64 * MEBIBYTE, `${(grown / MEBIBYTE).toFixed(1)} MiB`)
  await sleep(3 * readTimeout)
  await isCut(greedy)
})
