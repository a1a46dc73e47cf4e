import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('the benchmark of paths runs, and its table has every line', { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'paths.ts'), '--smoke'])
  assert.match(stdout, /^40 routers, 780 links/)
  for (const what of [
    'path, first from a router',
    'path, nothing changed',
    'link measured again',
    'path after a measurement',
    'link gone',
    'link new',
    'router gone and back',
    'all links of a router measured',
    'search from scratch',
  ]) {
    assert.match(stdout, new RegExp(`^${what}.* µs  p50 +[\\d.]+   p99 +[\\d.]+   most +[\\d.]+$`, 'm'))
  }
})
