import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { packedBody } from './packed-body.ts'

const long = 'x'.repeat(1_000)

test('packed for those who take it, and only where it is worth it', () => {
  for (const accepted of ['gzip', 'deflate, gzip', 'br;q=1.0, gzip;q=0.8', 'GZIP ; q=1']) {
    const { bytes, headers } = packedBody(long, accepted)
    assert.equal(headers['content-encoding'], 'gzip', accepted)
    assert.equal(gunzipSync(bytes).toString(), long)
    assert.ok(bytes.length < 100)
  }
  for (const accepted of [undefined, '', 'identity', 'gzip;q=0', 'gzip; q=0.000', 'x-gzip', '*;q=0']) {
    assert.deepEqual(packedBody(long, accepted), { bytes: Buffer.from(long), headers: { vary: 'accept-encoding' } })
  }
  assert.equal(packedBody('short', 'gzip').headers['content-encoding'], undefined)
})
