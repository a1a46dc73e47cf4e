import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ProfileFiles } from './profile-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'weft-profile-'))
after(() => rmSync(folder, { recursive: true }))
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))

test('both profiles are files that tools can open', { timeout: 20_000 }, async () => {
  const warnings: string[] = []
  const deps = { baseDirectory: folder, log: { warn: (message: string) => void warnings.push(message) } }
  const options = { cpu: { path: 'cpu.cpuprofile' }, memory: { path: 'memory.heapprofile', interval: 60_000 } }
  {
    await using profiles = await ProfileFiles.start(deps, options)
    await profiles.writeMemory()
    assert.ok('head' in read('memory.heapprofile'))
  }
  assert.ok(Array.isArray(read('cpu.cpuprofile').nodes))
  assert.deepEqual(warnings, [])
})

test('a file that cannot be written is told, and harms nothing', { timeout: 20_000 }, async () => {
  const warnings: string[] = []
  const deps = { baseDirectory: join(folder, 'none'), log: { warn: (message: string) => void warnings.push(message) } }
  await (await ProfileFiles.start(deps, { cpu: { path: 'x' } }))[Symbol.asyncDispose]()
  assert.deepEqual(warnings, ['a profile could not be written'])
  await (await ProfileFiles.start(deps, {}))[Symbol.asyncDispose]()
})
