/**
 * Those who reach the local socket and stall, say half of something, ask without end or take no answer. Each meets a bound,
 * and the next operator is answered.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { encodeFrame, encodeHello, Headers } from '@weft/wire'
import { agentMessages } from '@weft/wire/messages'
import { heldBytes } from '@weft/wire/testing/held-bytes.ts'
import { agentOperation, requestMark } from './agent-protocol.ts'
import { AgentSocket } from './agent-socket.ts'
import type { RouterOperations } from './router-operations.ts'

const limits = { timeout: 30_000 }
/** Milliseconds: for a request or a hello, and of a busy machine. */
const requestTimeout = 1_000
const patience = 10_000
const MEBIBYTE = 1_048_576
const folder = mkdtempSync(join(tmpdir(), 'weft-agent-hostile-'))
after(() => rmSync(folder, { recursive: true }))
let count = 0

async function start(): Promise<{ readonly path: string } & AsyncDisposable> {
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const done = async () => ({ isSuccess: true, text: 'done' })
  const operations: RouterOperations = {
    inspect: (names) => ({
      success: true,
      errors: [],
      values: names.map((name) => ({ name, value: 'v'.repeat(9_000) })),
    }),
    dumpForwarderTables: () => 'tables',
    links: () => [],
    ...{ quiesce: done, dequiesce: done, decommission: done, debug: undefined },
  }
  const path = join(folder, `${++count}.sock`)
  const app = { id: 'r1', alias: '', version: 'v1' }
  const agent = await AgentSocket.open({ app, operations, levels: { setLevel() {} }, log }, { path })
  return { path, [Symbol.asyncDispose]: () => agent[Symbol.asyncDispose]() }
}

function knock(path: string, ...bytes: readonly Buffer[]): Socket {
  const socket = connect(path)
  socket.on('error', () => {})
  socket.write(Buffer.concat(bytes))
  return socket
}

const channelRequest = Buffer.concat([requestMark, Buffer.from([agentOperation.channel, 2])])

async function isServed(path: string): Promise<void> {
  const started = performance.now()
  for (;;) {
    const socket = knock(path, requestMark, Buffer.from([agentOperation.appInfo]))
    if (/"id":"r1"/.test((await buffer(socket).catch(() => Buffer.alloc(0))).toString())) return
    assert.ok(performance.now() - started < requestTimeout + patience, 'nobody is answered any more')
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function isCut(socket: Socket): Promise<void> {
  const started = performance.now()
  socket.resume()
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
  assert.ok(performance.now() - started < requestTimeout + patience)
}

test('half a request, a channel without a hello, half a hello and what is none are cut in time', limits, async () => {
  await using agent = await start()
  const hello = encodeHello({ id: 'cli' })
  await Promise.all(
    [
      knock(agent.path),
      knock(agent.path, requestMark),
      knock(agent.path, requestMark, Buffer.from([agentOperation.channel])),
      knock(agent.path, channelRequest),
      knock(agent.path, channelRequest, hello.subarray(0, 15)),
      knock(agent.path, channelRequest, Buffer.alloc(2_000, 0xff)),
    ].map(isCut),
  )
  await isServed(agent.path)
})

test('a crowd fills the room and no more, and leaves it in time', limits, async () => {
  await using agent = await start()
  const crowd = Array.from({ length: 500 }, () => knock(agent.path, channelRequest))
  await Promise.all(crowd.map(isCut))
  await isServed(agent.path)
})

test('who asks over a channel without end and takes no answer is not read from any more', limits, async () => {
  await using agent = await start()
  const before = heldBytes()
  const asked = agentMessages.encode('inspect', { body: { requestedValues: ['links'] } })
  const greedy = Array.from({ length: 5 }, () => {
    const socket = knock(agent.path, channelRequest, encodeHello({ id: 'cli' }))
    socket.pause()
    const frame = (nth: number) => encodeFrame(asked.contentType, new Headers(), asked.body!, nth + 1)
    const frames = Buffer.concat(Array.from({ length: 1_000 }, (_, nth) => frame(nth)))
    for (let nth = 0; nth < 20; nth++) socket.write(frames)
    return socket
  })
  await isServed(agent.path)
  const grown = heldBytes() - before
  assert.ok(grown < 64 * MEBIBYTE, `${(grown / MEBIBYTE).toFixed(1)} MiB`)
  for (const socket of greedy) socket.destroy()
  await isServed(agent.path)
})
