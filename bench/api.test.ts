import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('the benchmark of the API runs, and its table has every line', { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'api.ts'), '--smoke'])
  for (const kind of ['identities', 'services', 'service-policies']) {
    for (const workload of [
      'get by id',
      'list by role',
      'list name contains',
      'list sorted by name',
      'update',
      'create',
      'delete',
    ]) {
      // Size, kind and workload, then requests per second, two latencies and CPU.
      const line = new RegExp(`^ *\\d+ +${kind} +${workload}( +[\\d.-]+){4}$`, 'm')
      assert.match(stdout, line)
    }
  }
  assert.match(stdout, /^ours( +[\d.]+){5}$/m, 'the change of a policy')
  assert.match(stdout, /load average before: [\d.]+/)
  assert.match(stdout, /synchronous=FULL/)
  assert.match(stdout, /the generator takes at most \d+ answers/)
})
