import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('the benchmark of the ways in runs, and its tables have every line', { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'auth.ts'), '--smoke'])
  for (const line of ['login +by certificate', 'token +refresh', 'enrollment +ott', 'login +by password']) {
    // Size, kind and workload, then requests per second, two latencies and CPU.
    assert.match(stdout, new RegExp(`^ *\\d+ +${line}( +[\\d.-]+){4}$`, 'm'))
  }
  assert.match(stdout, /argon2id, 19 MiB, two passes, one lane: [\d.]+ ms/)
})
