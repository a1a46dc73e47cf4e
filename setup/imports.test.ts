/** Imports run downward only, without circles, through the doors that packages have. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { findCycles, findSources, type Import, parseImports, readImports } from './imports.ts'
import { controllerLayers, findBan, packageLayers, placeOf, routerLayers } from './layers.ts'

const root = join(import.meta.dirname, '..')
const sources = findSources(root, ['packages', 'test', 'bench', 'setup'])
const imports = sources.flatMap((file) => readImports(root, file, (name) => import.meta.resolve(name)))
const ours = imports.filter((line): line is Import & { to: string } => line.to !== undefined)

test('packages import downward only', () => {
  none(ours.map(({ from, to }) => findBan(packageLayers, from, to)))
})

for (const [folder, layers] of [
  ['packages/controller/', controllerLayers],
  ['packages/router/', routerLayers],
] as const) {
  test(`the folders of ${folder} import downward only`, () => {
    const inside = ours.filter(({ from, to }) => from.startsWith(folder) && to.startsWith(folder) && !isTest(from))
    none(inside.map(({ from, to }) => findBan(layers, from.slice(folder.length), to.slice(folder.length))))
  })
}

test('no files import each other in a circle', () => {
  none(findCycles(ours.filter(({ isTypeOnly }) => !isTypeOnly)).map((circle) => circle.join(' <-> ')))
})

test('a package is imported by its name, through what it exports', () => {
  // A name that is not exported fails above, in import.meta.resolve.
  // Tests and measurements stand outside the packages and may look at any part.
  const across = ours.filter(({ from, to }) => from.startsWith('packages/') && packageOf(from) !== packageOf(to))
  none(
    across.map(({ from, specifier }) => (specifier.startsWith('.') ? `${from} reaches for ${specifier}` : undefined)),
  )
})

test('a package states what it depends on', () => {
  const folders = ['', 'test', ...globSync('packages/*', { cwd: root })]
  const declared = new Map(folders.map((folder) => [folder, declaredBy(folder)]))
  const everything = new Set([...declared.values()].flatMap((names) => [...names]))
  none(
    imports.map(({ from, specifier }) => {
      if (specifier.startsWith('.') || isBuiltin(specifier)) return undefined
      const name = specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
      const isTool = isTest(from) || !from.startsWith('packages/')
      const known = isTool
        ? everything.has(name) || name.startsWith('@weft/')
        : declared.get(packageOf(from))?.has(name)
      return known ? undefined : `${from} imports ${name}, which its package.json does not name`
    }),
  )
})

test('every form of import is seen, and what only looks like one is not', () => {
  const text = [
    "import assert from 'node:assert'",
    "import { a,\n  type B,\n} from './named.ts'",
    "import * as all from './all.ts'",
    "import './effect.ts'",
    "import type { C } from './type.ts'",
    "export { d } from './again.ts'",
    "export * from './star.ts'",
    "export type { E } from './type-again.ts'",
    "const late = await import('./late.ts')",
    "const worker = new Worker(new URL('./worker.ts', import.meta.url))",
    "// import nothing from './comment.ts'",
    "export const from = 'text'",
    "export function f() {\n  return away('x')\n}",
  ].join('\n')
  const found = parseImports(text)
  assert.deepEqual(
    found.filter(({ isTypeOnly }) => !isTypeOnly).map(({ specifier }) => specifier),
    ['node:assert', './named.ts', './all.ts', './effect.ts', './again.ts', './star.ts', './late.ts', './worker.ts'],
  )
  assert.deepEqual(
    found.filter(({ isTypeOnly }) => isTypeOnly).map(({ specifier }) => specifier),
    ['./type.ts', './type-again.ts'],
  )
})

test('an import upward or sideways is refused with the reason, downward and inside an area it is not', () => {
  const layers = [
    { areas: ['top'], why: 'it is the top' },
    { areas: ['left', 'right', 'top/low.ts'], why: 'they are neighbours' },
  ]
  assert.equal(findBan(layers, 'top/a.ts', 'left/b.ts'), undefined)
  assert.equal(findBan(layers, 'left/a.ts', 'left/b.ts'), undefined)
  assert.match(findBan(layers, 'left/a.ts', 'top/b.ts')!, /top is above left: it is the top$/)
  assert.match(findBan(layers, 'left/a.ts', 'right/b.ts')!, /right is beside left: they are neighbours$/)
  assert.equal(findBan(layers, 'topping/a.ts', 'left/b.ts'), 'topping/a.ts has no place in the table')
  assert.equal(placeOf(layers, 'top/low.ts')?.row, 1)
})

test('a circle is found however long it is', () => {
  const line = (from: string, to: string): Import => ({ from, to, specifier: to, isTypeOnly: false })
  const chain = [line('a', 'b'), line('b', 'c'), line('c', 'd')]
  assert.deepEqual(findCycles(chain), [])
  assert.deepEqual(findCycles([...chain, line('d', 'b')]), [['b', 'c', 'd']])
})

function none(problems: readonly (string | undefined)[]): void {
  assert.deepEqual([...new Set(problems.filter((problem) => problem !== undefined))], [])
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts')
}

/** The folder of the package that a file belongs to. */
function packageOf(path: string): string {
  return path.split('/', path.startsWith('packages/') ? 2 : 1).join('/')
}

function declaredBy(folder: string): Set<string> {
  const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  return new Set(
    Object.keys({ ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }),
  )
}
