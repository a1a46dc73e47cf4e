import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import { StdoutSink } from './stdout-sink.ts'

const never = new AbortController().signal

test('writes lines in order and leaves the stream open', async () => {
  const stream = new PassThrough()
  {
    await using sink = new StdoutSink(stream)
    assert.deepEqual(await sink.write(['a\n', 'b\n'], never), { written: 2 })
  }
  assert.equal(String(stream.read()), 'a\nb\n')
  assert.ok(stream.writable)
  assert.equal(stream.listenerCount('error'), 0)
})

test('gives up waiting for a reader that stalls', async () => {
  await using sink = new StdoutSink(new Writable({ write() {} }))
  const stop = new AbortController()
  const writing = sink.write(['a\n'], stop.signal)
  stop.abort()
  const { written, error } = await writing
  assert.equal(written, 0)
  assert.match(String(error), /gave up/)
})

test('a stream that fails is an outcome, now and later', async () => {
  await using sink = new StdoutSink(new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) }))
  assert.match(String((await sink.write(['a\n'], never)).error), /EPIPE/)
  assert.ok((await sink.write(['b\n'], never)).error)
})
