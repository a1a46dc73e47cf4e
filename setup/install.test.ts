import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

type Entry = { version?: string; integrity?: string; resolved?: string; link?: true; optional?: true }
type Packages = Record<string, Entry>
const { isInstalled } = createRequire(import.meta.url)('./install.cjs') as {
  isInstalled(folder: string, needsOptional?: (entry: Entry) => boolean): boolean
}

const folder = mkdtempSync(join(tmpdir(), 'weft-install-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const locked: Packages = {
  '': { version: '0.1.0' },
  'packages/cli': { version: '0.1.0' },
  'node_modules/@weft/cli': { resolved: 'packages/cli', link: true },
  'node_modules/yaml': { version: '2.0.0', integrity: 'sha512-two' },
  'node_modules/tool-linux': { version: '1.0.0', integrity: 'sha512-linux', optional: true },
}
const { '': _, 'node_modules/tool-linux': __, ...installed } = locked

const cases: { name: string; present: Packages | string | undefined; answer: boolean }[] = [
  { name: 'without node_modules', present: undefined, answer: false },
  { name: 'with everything but an optional package', present: installed, answer: true },
  { name: 'with packages that are no longer named', present: { ...installed, 'node_modules/old': {} }, answer: true },
  { name: 'with nothing', present: {}, answer: false },
  {
    name: 'with another build of a package',
    present: { ...installed, 'node_modules/yaml': { version: '2.0.0', integrity: 'sha512-other' } },
    answer: false,
  },
  {
    name: 'with a workspace that has moved',
    present: { ...installed, 'node_modules/@weft/cli': { resolved: 'cli', link: true } },
    answer: false,
  },
  { name: 'with a damaged record', present: '{"packages": {', answer: false },
]

for (const { name, present, answer } of cases) {
  test(`${name} the folder ${answer ? 'is' : 'is not'} installed`, () => {
    fill(present)
    assert.equal(isInstalled(folder), answer)
  })
}

test('an optional package counts where the machine needs it', () => {
  fill(installed)
  assert.equal(
    isInstalled(folder, () => true),
    false,
  )
  fill(locked)
  assert.equal(
    isInstalled(folder, () => true),
    true,
  )
})

test('a folder without a lock file is refused', () => {
  assert.throws(() => isInstalled(join(folder, 'nowhere')), /package-lock\.json is missing or damaged/)
})

function fill(present: Packages | string | undefined): void {
  rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify({ packages: locked }))
  if (present === undefined) return
  mkdirSync(join(folder, 'node_modules'))
  const text = typeof present === 'string' ? present : JSON.stringify({ packages: present })
  writeFileSync(join(folder, 'node_modules', '.package-lock.json'), text)
}
