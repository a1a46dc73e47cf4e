import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ResponseReader } from './response-reader.ts'

const answers = {
  'with a length': ['HTTP/1.1 201 Created\r\nContent-Length: 5\r\nserver: x\r\n\r\nhello', 201, 'hello'],
  'in chunks': [
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n10;x=y\r\n, wide world, ok\r\n0\r\n\r\n',
    200,
    'hello, wide world, ok',
  ],
  'without a body': ['HTTP/1.1 204 No Content\r\nserver: x\r\n\r\n', 204, ''],
} as const

describe('reading responses', () => {
  for (const [name, [text, status, body]] of Object.entries(answers)) {
    for (const size of [1, 2, 7, 10_000]) {
      it(`${name}, in pieces of ${size}, twice on one connection`, () => {
        const reader = new ResponseReader({ keepsBody: true })
        for (let response = 0; response < 2; response++) {
          const bytes = Buffer.from(text)
          for (let at = 0; at < bytes.length; at += size) {
            assert.equal(reader.take(bytes.subarray(at, at + size)), at + size >= bytes.length)
          }
          assert.equal(reader.status, status)
          assert.equal(reader.body, body)
        }
      })
    }
  }

  it('refuses more bytes than were announced', () => {
    const reader = new ResponseReader({ keepsBody: false })
    assert.throws(() => reader.take(Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab')), /more than/)
  })
})
