import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlMessages } from '../messages/index.ts'
import { lastingBytes, lastingMessage } from './lasting-bytes.ts'

test('what is kept has memory of its own, and no more than it needs', () => {
  const bytes = Buffer.from('a few bytes')
  assert.ok(bytes.buffer.byteLength > bytes.length, 'small buffers share memory')
  const kept = lastingBytes(bytes)
  assert.deepEqual(kept, bytes)
  assert.equal(kept.buffer.byteLength, bytes.length)
})

test('a message is kept with its headers', () => {
  const message = controlMessages.encode('dataStateChangeSet', { subscriptionId: 's1', body: { index: 7 } })
  const kept = lastingMessage(message)
  assert.equal(kept.contentType, message.contentType)
  assert.deepEqual(kept.body, message.body)
  assert.deepEqual([...kept.headers!], [...message.headers])
  for (const [, value] of kept.headers!) assert.equal(value.buffer.byteLength, value.length)
})
