import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLockProblems, type LockEntry } from './lock-file.ts'

const integrity = 'sha512-hash'
const sound: Record<string, LockEntry> = {
  '': { dependencies: { direct: '1.0.0' } },
  'packages/cli': { dependencies: { direct: '1.0.0', nested: '2.0.0' } },
  'packages/cli/node_modules/nested': { integrity },
  'node_modules/@weft/cli': { link: true, resolved: 'packages/cli' },
  'node_modules/direct': { integrity, optionalDependencies: { '@tool/linux': '1.0.0' } },
  'node_modules/@tool/linux': { integrity, optional: true },
}

const cases: { name: string; change: Record<string, LockEntry>; scripts?: string[]; problems: RegExp[] }[] = [
  { name: 'a sound lock file', change: {}, problems: [] },
  {
    name: 'a package without a hash',
    change: { 'node_modules/@tool/linux': {} },
    problems: [/@tool\/linux has no sha512/],
  },
  {
    name: 'a download host',
    change: { 'node_modules/@tool/linux': { integrity, resolved: 'https://registry.example/linux.tgz' } },
    problems: [/names a download host: https:\/\/registry\.example/],
  },
  {
    name: 'a package for a platform that is named but not locked',
    change: { 'node_modules/direct': { integrity, optionalDependencies: { '@tool/darwin': '1.0.0' } } },
    problems: [/^node_modules\/direct needs @tool\/darwin, which is not locked$/],
  },
  {
    name: 'a package that only a sibling can reach',
    change: { '': { dependencies: { nested: '2.0.0' } } },
    problems: [/^the root needs nested, which is not locked$/],
  },
  {
    name: 'an install script nobody allowed',
    change: { 'node_modules/direct': { integrity, hasInstallScript: true } },
    problems: [/direct has an install script/],
  },
  {
    name: 'an install script that is allowed by name',
    change: { 'node_modules/direct': { integrity, hasInstallScript: true } },
    scripts: ['direct'],
    problems: [],
  },
  { name: 'an allowance that nothing needs', change: {}, scripts: ['direct'], problems: [/direct, which has none/] },
]

for (const { name, change, scripts = [], problems } of cases) {
  test(`${name}: ${problems.length === 0 ? 'nothing to say' : 'named'}`, () => {
    const found = findLockProblems({ packages: { ...sound, ...change } }, scripts)
    assert.equal(found.length, problems.length, found.join('\n'))
    for (const [index, problem] of problems.entries()) assert.match(found[index] ?? '', problem)
  })
}
