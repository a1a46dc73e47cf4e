import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'

test('the benchmark of the control plane runs, and its table has every line', { timeout: 60_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'control.ts'), '--smoke'])
  for (const [kind, workload] of [
    ['routers', 'connect'],
    ['data model', 'create identity'],
    ['data model', 'update identity'],
    ['data model', 'create policy over all'],
    ['data model', 'create identities, 16 at a time'],
    ['links', 'form a full mesh'],
    ['links', 'both ends measure'],
    ['circuits', 'create with a session'],
  ]) {
    // Size, kind and workload, then the rate, two latencies and CPU.
    assert.match(stdout, new RegExp(`^ *4 +${kind} +${workload}( +-?[\\d.]+){4}$`, 'm'))
  }
  assert.match(stdout, /^ours +\d+ +\d+ +4 +-?\d+$/m, 'the memory with routers')
})
