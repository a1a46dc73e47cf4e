import assert from 'node:assert/strict'
import { test } from 'node:test'
import zlib from 'node:zlib'
import { type Coding, pack, preferredCoding } from './compression.ts'

const preferences: [string, Coding | undefined][] = [
  ['gzip', 'gzip'],
  ['GZIP', 'gzip'],
  ['gzip, deflate, br', 'gzip'],
  ['br, gzip', 'br'],
  ['deflate;q=0.5, br;q=0.9, gzip;q=0.8', 'br'],
  ['gzip;q=0.5, deflate', 'deflate'],
  ['gzip;q=0', undefined],
  ['gzip;q=nonsense', undefined],
  ['gzip; q=1.5, br;q=0.1', 'br'],
  ['identity', undefined],
  ['*', undefined],
  ['', undefined],
  [',,;q=1,', undefined],
]

for (const [accepted, coding] of preferences) {
  test(`${JSON.stringify(accepted)} prefers ${coding}`, () => assert.equal(preferredCoding(accepted), coding))
}

const unpack = { gzip: zlib.gunzipSync, deflate: zlib.inflateSync, br: zlib.brotliDecompressSync }

for (const coding of ['gzip', 'deflate', 'br'] as const) {
  test(`${coding} keeps every byte, of small and of large bodies`, async () => {
    for (const length of [0, 1, 200, 4095, 4096, 4097, 16_384, 16_385, 300_000]) {
      const bytes = Buffer.from(Array.from({ length }, (_, i) => (i * i) % 251))
      const packed = await pack(coding, bytes)
      assert.ok(unpack[coding](packed).equals(bytes), `${length} bytes`)
    }
  })
}

test('only large bodies leave the event loop', async () => {
  assert.ok(Buffer.isBuffer(pack('gzip', Buffer.alloc(16_384))))
  const large = pack('gzip', Buffer.alloc(16_385))
  assert.ok(large instanceof Promise)
  await large
})
