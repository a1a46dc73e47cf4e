import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { type Channel, ChannelAcceptor, dialChannel, resultMessage, singlePlan, TcpPort } from '@weft/wire'
import { channelStateTrace, channelTrace } from '@weft/wire/messages'
import { TraceFile } from './trace-file.ts'

const limits = { timeout: 20_000 }
const folder = mkdtempSync(join(tmpdir(), 'weft-trace-'))
after(() => rmSync(folder, { recursive: true }))
const log = { error() {} }

function read(path: string) {
  const bytes = readFileSync(path)
  const records = []
  for (let at = 0; at < bytes.length; ) {
    const kind = bytes.readInt32LE(at)
    const length = bytes.readInt32LE(at + 4)
    const record = bytes.subarray(at + 8, at + 8 + length)
    records.push(kind === 0 ? channelStateTrace.decode(record) : channelTrace.decode(record))
    at += 8 + length
  }
  return records
}

async function dialled(bind: (channel: Channel) => void) {
  const stack = new AsyncDisposableStack()
  const admit = () => ({
    identity: 'peer',
    name: 'peer',
    plan: singlePlan,
    bind: (channel: Channel) =>
      channel.handle(1_013, (message) => channel.reply(message, resultMessage(true, 'secret'))),
  })
  const acceptor = stack.use(new ChannelAcceptor({ id: 'c1', admit }))
  const port = stack.use(await TcpPort.open('127.0.0.1', 0, (connection) => acceptor.accept(connection)))
  const channel = await dialChannel({
    address: `tcp:127.0.0.1:${port.address.port}`,
    name: 'ctrl',
    plan: singlePlan,
    hello: () => ({ id: 'r1' }),
    bind,
  })
  return { channel, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

test('a channel and its messages, both ways, without what is in them', limits, async () => {
  const path = join(folder, 'ctrl.trace')
  writeFileSync(path, 'of the run before')
  const options = {
    identity: 'r1',
    protocol: 'ctrl',
    nameOf: (type: number) => (type === 1_013 ? 'inspect' : undefined),
    now: () => 5,
  }
  {
    await using file = await TraceFile.open(path, log)
    await using peer = await dialled((channel) => file.watch(channel, options))
    await peer.channel.request({ contentType: 1_013, body: Buffer.from('secret') })
    peer.channel.close()
    await peer.channel.closed
  }
  const [opened, asked, answered, closed] = read(path)
  assert.ok('connected' in opened! && 'isRx' in asked! && 'isRx' in answered! && 'connected' in closed!)
  assert.deepEqual([opened.connected, opened.identity, opened.channel], [true, 'r1', 'ctrl'])
  assert.match(opened.remoteAddress, /^tcp:127\.0\.0\.1:/)
  assert.deepEqual([asked.isRx, asked.contentType, asked.replyFor, asked.length], [false, 1_013, -1, 6])
  assert.deepEqual(JSON.parse(asked.decode.toString()), { __decoder__: 'ctrl', __message__: 'inspect' })
  assert.deepEqual([answered.isRx, answered.contentType, answered.replyFor], [true, 2, asked.sequence])
  assert.deepEqual([closed.connected, closed.timestamp], [false, 5_000_000n])
  assert.ok(!readFileSync(path).includes('secret'))
})

test('a file that cannot be opened is refused, and records after the end are only counted', limits, async () => {
  await assert.rejects(TraceFile.open(join(folder, 'none', 'x'), log), { code: 'ENOENT' })
  const file = await TraceFile.open(join(folder, 'ended'), log)
  await file[Symbol.asyncDispose]()
  file.record(channelTrace.decode(Buffer.alloc(0)))
  assert.equal(file.dropped, 1)
})
