import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { requestMark } from './agent-protocol.ts'
import { type AgentAddress, AgentSocket, parseAgentAddress } from './agent-socket.ts'
import type { RouterOperations } from './router-operations.ts'

const limits = { timeout: 20_000 }
const folder = mkdtempSync(join(tmpdir(), 'weft-agent-'))
after(() => rmSync(folder, { recursive: true }))
let count = 0

function setUp() {
  const levels: string[] = []
  const problems: string[] = []
  const add = (message: string) => void problems.push(message)
  const log = { debug() {}, info() {}, warn: add, error: add }
  const done = async () => ({ isSuccess: true, text: 'done' })
  const operations: RouterOperations = {
    inspect: (names) => ({ success: true, errors: [], values: names.map((name) => ({ name, value: 'v' })) }),
    dumpForwarderTables: () => 'tables',
    links: () => [],
    quiesce: done,
    dequiesce: done,
    decommission: done,
    debug: undefined,
  }
  const path = join(folder, `${++count}.sock`)
  const app = { id: 'r1', alias: '', version: 'v1.2.3' }
  const deps = { app, operations, levels: { setLevel: (level: string) => void levels.push(level) }, log }
  return { path, levels, problems, open: (address: AgentAddress = { path }) => AgentSocket.open(deps, address) }
}

async function ask(path: string, ...bytes: number[]): Promise<string> {
  const socket = connect(path)
  socket.write(Buffer.concat([requestMark, Buffer.from(bytes)]))
  return (await buffer(socket)).toString('utf8')
}

test('answers what the command line asks, each in its form', limits, async () => {
  const { path, levels, open } = setUp()
  await using _agent = await open()
  assert.match(await ask(path, 0x01), /^active resources:\n/)
  assert.equal(await ask(path, 0x02), 'ok')
  assert.match(await ask(path, 0x03), /^heap-alloc: .* bytes\)$/m)
  assert.equal(await ask(path, 0x04), `node ${process.version}\n`)
  assert.match(await ask(path, 0x07), /^num CPU: \d+$/m)
  assert.deepEqual(JSON.parse(await ask(path, 0x0a)), { type: 'router', id: 'r1', version: 'v1.2.3' })
  assert.deepEqual(JSON.parse(await ask(path, 0x16)), {
    type: 'router',
    id: 'r1',
    version: 'v1.2.3',
    agent_capabilities: ['logging.slog-levels'],
    app_capabilities: [],
  })
  assert.equal(await ask(path, 0x11, 5), 'log level set to debug\n')
  assert.equal(await ask(path, 0x11, 9), 'invalid log level 9\n')
  assert.deepEqual(levels, ['debug'])
  assert.equal(await ask(path, 0x12, 2, 128), 'invalid operation 128\n', 'only where debugging is enabled')
  assert.equal(await ask(path, 0x12, 1, 128), 'invalid operation for router\n')
  assert.equal(await ask(path, 0x15, 1), 'invalid app id 1\n')
  assert.match(await ask(path, 0x10, 0x96, 0x01), /^not changed to 75:/)
  assert.equal(await ask(path, 0x7f), '', 'what is not known is not answered')
})

test('a request byte by byte, a wrong one, and one that never ends', limits, async () => {
  const { path, open } = setUp()
  await using _agent = await open()
  const slow = connect(path)
  for (const byte of [...requestMark, 0x0a]) slow.write(Buffer.from([byte]))
  assert.match((await buffer(slow)).toString(), /"type":"router"/)
  const wrong = connect(path)
  wrong.write(Buffer.alloc(1_000, 7))
  await buffer(wrong).catch(() => undefined)
  const started = performance.now()
  const silent = connect(path)
  silent.write(requestMark.subarray(0, 5))
  assert.equal((await buffer(silent)).toString(), 'the request took too long\n')
  assert.ok(performance.now() - started > 900)
  const cut = connect(path)
  cut.end(requestMark.subarray(0, 5))
  assert.equal((await buffer(cut)).toString(), 'the request ends in the middle\n')
})

test('more connections than there is room for are turned away, and the socket goes on', limits, async () => {
  const { path, open } = setUp()
  await using _agent = await open()
  const held = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const socket = connect(path)
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.write(Buffer.concat([requestMark, Buffer.from([0x11])]))
      return socket
    }),
  )
  const turnedAway = connect(path)
  turnedAway.on('error', () => {})
  await new Promise((resolve) => turnedAway.once('close', resolve))
  for (const socket of held) socket.destroy()
  for (let tries = 0; tries < 100; tries++) {
    const answer = await ask(path, 0x0a).catch(() => '')
    if (answer !== '') return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  assert.fail('no answer after room was made')
})

test('only its user may open it, a socket left behind is replaced, and it is gone in the end', limits, async () => {
  const { path, open } = setUp()
  writeFileSync(path, 'left behind')
  {
    await using _agent = await open()
    if (process.platform !== 'win32') assert.equal(statSync(path).mode & 0o777, 0o700)
    connect(path).on('error', () => {})
  }
  assert.equal(existsSync(path), false)
})

test('a port is possible, with a warning', limits, async () => {
  const { open, problems } = setUp()
  await using _agent = await open({ host: '127.0.0.1', port: 0 })
  assert.match(problems.join(), /anyone who reaches it controls this router/)
})

test('addresses as operators write them', () => {
  assert.deepEqual(parseAgentAddress('unix:/run/r.sock'), { path: '/run/r.sock' })
  assert.deepEqual(parseAgentAddress('tcp:127.0.0.1:7000'), { host: '127.0.0.1', port: 7_000 })
  assert.deepEqual(parseAgentAddress('tcp:[::1]:7000'), { host: '::1', port: 7_000 })
  for (const bad of ['', 'unix:', 'tcp:a', 'tcp:a:70000', '/run/r.sock', 'udp:a:1']) {
    assert.equal(parseAgentAddress(bad), undefined, bad)
  }
})
