import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { dialChannel, type OutgoingMessage, readResult, singlePlan } from '@weft/wire'
import { agentMessages } from '@weft/wire/messages'
import { agentOperation, requestMark } from './agent-protocol.ts'
import { AgentSocket } from './agent-socket.ts'
import type { DebugOperations, RouterOperations } from './router-operations.ts'

const limits = { timeout: 20_000 }
const folder = mkdtempSync(join(tmpdir(), 'weft-agent-channel-'))
after(() => rmSync(folder, { recursive: true }))

/** The agent, reached by a channel: what stands between asks for the change of protocol. */
async function setUp(debug: DebugOperations | undefined) {
  const asked: unknown[] = []
  const levels: string[] = []
  const done = (name: string) => async () => {
    asked.push(name)
    return { isSuccess: true, text: `${name}d` }
  }
  const operations: RouterOperations = {
    inspect: (names) => ({
      success: true,
      errors: [],
      values: names.map((name) => ({ name, value: `{"${name}":1}` })),
    }),
    dumpForwarderTables: () => {
      throw new Error('no tables here')
    },
    links: () => [{ id: 'l1', destination: 'r2', protocol: 'tls' }],
    quiesce: done('quiesce'),
    dequiesce: done('dequiesce'),
    decommission: done('decommission'),
    debug,
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const stack = new AsyncDisposableStack()
  const path = join(folder, `${Math.random()}.sock`)
  const app = { id: 'r1', alias: '', version: 'v1' }
  const agent = await AgentSocket.open(
    { app, operations, levels: { setLevel: (level) => void levels.push(level) }, log },
    { path },
  )
  stack.use(agent)
  const between = createServer((socket) => {
    const inner = connect(path)
    inner.write(Buffer.concat([requestMark, Buffer.from([agentOperation.channel, 2])]))
    socket.pipe(inner).pipe(socket)
    for (const end of [socket, inner]) end.on('error', () => {})
  }).listen(0, '127.0.0.1')
  await once(between, 'listening')
  stack.defer(() => void between.close())
  const channel = await dialChannel({
    address: `tcp:127.0.0.1:${(between.address() as AddressInfo).port}`,
    name: 'cli',
    plan: singlePlan,
    hello: () => ({ id: 'cli' }),
    bind() {},
  })
  stack.defer(() => channel.close())
  const ask = async (message: OutgoingMessage) =>
    readResult(await channel.request(message, { timeoutMilliseconds: 5_000 }))
  return { channel, ask, asked, levels, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('the hello says who it is and what it can', limits, async () => {
  await using agent = await setUp(undefined)
  assert.equal(agent.channel.peerId, 'r1')
  assert.deepEqual(agent.channel.first.headers.get(30102), Buffer.from([2]))
})

test('inspections, dumps, levels, and what is asked of controllers', limits, async () => {
  await using agent = await setUp(undefined)
  const { ask, channel } = agent
  const request = agentMessages.encode('inspect', { body: { requestedValues: ['links'] } })
  const { name, message } = agentMessages.decodeReply('inspect', await channel.request(request))
  assert.equal(name, 'inspectResponse')
  assert.deepEqual(message.body.values, [{ name: 'links', value: '{"links":1}' }])
  assert.deepEqual(await ask(agentMessages.encode('dumpLinks')), {
    isSuccess: true,
    text: 'id: l1 dest: r2 protocol: tls\n',
  })
  assert.deepEqual(await ask(agentMessages.encode('dumpForwarderTables')), { isSuccess: false, text: 'no tables here' })
  for (const name of ['quiesce', 'dequiesce', 'decommission'] as const) {
    assert.equal((await ask(agentMessages.encode(name))).text, `${name}d`)
  }
  assert.equal((await ask(agentMessages.encode('setLogLevel', { level: 'WARNING' }))).isSuccess, true)
  assert.equal((await ask(agentMessages.encode('setLogLevel', { level: 'constructor' }))).isSuccess, false)
  assert.deepEqual(agent.levels, ['warn'])
})

test('what is only for tests is offered only where it is enabled', limits, async () => {
  const routed: unknown[] = []
  await using agent = await setUp({
    forgetLink: (id) => id === 'l1',
    toggleControlChannel: async (controllerId, isOn) => ({ isSuccess: true, text: `${controllerId} ${isOn}` }),
    addRoute: (controllerId, { circuitId }) => void routed.push([controllerId, circuitId]),
    unroute: ({ circuitId }) => void routed.push(circuitId),
    dumpApiSessions: () => 'none',
  })
  const { ask } = agent
  assert.equal((await ask(agentMessages.encode('forgetLink', { body: 'l1' }))).text, 'link removed: true')
  assert.equal((await ask(agentMessages.encode('toggleCtrlChannel', { body: 'c1', isOn: false }))).text, 'c1 false')
  const route = { circuitId: 'k1' }
  assert.equal(
    (await ask(agentMessages.encode('updateRoute', { body: route, controllerId: 'c1' }))).text,
    'route added',
  )
  assert.equal((await ask(agentMessages.encode('updateRoute', { body: route }))).text, 'no controller id provided')
  assert.equal((await ask(agentMessages.encode('unroute', { body: route }))).text, 'circuit unrouted [k1]')
  assert.deepEqual(routed, [['c1', 'k1'], 'k1'])
  await using other = await setUp(undefined)
  await assert.rejects(
    other.channel.request(agentMessages.encode('forgetLink', { body: 'l1' }), { timeoutMilliseconds: 200 }),
  )
})
