import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import { PiecewiseWriter } from './piecewise-writer.ts'

/** A stream that is done with a piece when it is told to be. */
function slowStream() {
  const pieces: Buffer[] = []
  let done: ((error?: Error) => void) | undefined
  const stream = new Writable({
    highWaterMark: 1024,
    write(chunk: Buffer, _encoding, callback) {
      pieces.push(chunk)
      done = callback
    },
  })
  stream.on('error', () => {})
  const finish = async (error?: Error) => {
    done?.(error)
    await new Promise(setImmediate)
  }
  return { stream, pieces, finish }
}

test('hands over one piece after the other, in order, and tells when it has room', async () => {
  const { stream, pieces, finish } = slowStream()
  let drains = 0
  const writer = new PiecewiseWriter(stream, 4, () => drains++)
  assert.equal(writer.write(Buffer.from('ab')), true, 'nothing waits behind a small write')
  assert.equal(writer.write(Buffer.from('cdefghijk')), false)
  assert.equal(writer.write(Buffer.from('l')), false)
  const seen = [String(pieces.at(-1))]
  for (let nth = 0; nth < 4; nth++) {
    assert.equal(drains, 0)
    await finish()
    seen.push(String(pieces.at(-1)))
  }
  assert.deepEqual(seen, ['ab', 'cdef', 'ghij', 'k', 'l'])
  await finish()
  assert.equal(drains, 1)
})

test('ends when everything is handed over', async () => {
  const { stream, finish } = slowStream()
  const writer = new PiecewiseWriter(stream, 4, () => assert.fail('nobody waits'))
  let ended = 0
  writer.end(() => ended++)
  assert.equal(ended, 1, 'at once when nothing waits')
  writer.write(Buffer.from('abcdef'))
  writer.end(() => ended++)
  await finish()
  assert.equal(ended, 1)
  await finish()
  assert.equal(ended, 2)
})

test('a stream that fails is given nothing more', async () => {
  const { stream, pieces, finish } = slowStream()
  const writer = new PiecewiseWriter(stream, 1, () => assert.fail('there is no room any more'))
  writer.write(Buffer.from('abc'))
  await finish(new Error('lost'))
  assert.equal(pieces.length, 1)
})
