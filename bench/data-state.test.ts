import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('the benchmark of the data model runs, and compares both directions', { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, 'data-state.ts'),
    '--smoke',
  ])
  assert.match(stdout, /^100 events, \d+ bytes/m)
  assert.match(stdout, /^ *decode +[\d.]+ +JSON\.parse +[\d.]+ +[\d.]+x$/m)
  assert.match(stdout, /^ *encode +[\d.]+ +JSON\.stringify +[\d.]+ +[\d.]+x$/m)
})
