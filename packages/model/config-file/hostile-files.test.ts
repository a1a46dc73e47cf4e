/** Files made to cost more than they weigh. Each has to be refused, or read, within a few seconds on a slow machine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeForm, listOf, oneOrMore } from './collection-kinds.ts'
import { ConfigError } from './config-error.ts'
import { loadConfigFile } from './load-config-file.ts'
import { integer, text } from './scalar-kinds.ts'
import { optional, required, section } from './section.ts'

const schema = section({
  keys: {
    v: required(integer(), 'version'),
    words: optional(oneOrMore(text()), 'words'),
    free: optional(freeForm(), 'anything'),
    rows: optional(listOf(section({ keys: { a: optional(freeForm(), 'anything') } })), 'sections'),
  },
})

function load(content: string) {
  const spec = { schema, version: { key: 'v', value: 3 }, assemble: (value: unknown) => value }
  return loadConfigFile(spec, { fileName: 'f.yml', text: content }, {})
}

const MiB = 1024 * 1024
const limit = 5_000

function times(count: number, piece: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join('\n')
}

const hostile: Record<string, [content: string, message: RegExp]> = {
  'nested flow lists': ['['.repeat(MiB), /more than 100000 words and signs/],
  'nested flow sections': ['{a: '.repeat(MiB / 4), /more than 100000 words and signs/],
  'nested items on one line': ['- '.repeat(20_000), /nested too deeply/],
  'nested items, few': [`v: 3\nfree:\n  ${'- '.repeat(60)}x`, /nested more than 40 levels deep/],
  'nested indentation': [times(1_400, (depth) => `${' '.repeat(depth)}a:`), /nested too deeply|nested more than 40/],
  'quotes only': ['"'.repeat(MiB), /more than 100000 words and signs/],
  'a one-line file of errors': [`${'"" '.repeat(20_000)}`, /not valid YAML/],
  'bad escapes': [`a: "${'\\q'.repeat(MiB / 2 - 4)}"`, /longer than 100000 characters/],
  'fewer bad escapes': [`a: "${'\\q'.repeat(40_000)}"`, /an unknown escape/],
  'many documents': ['---\n'.repeat(MiB / 4), /more than 100000 words and signs/],
  'a bomb of aliases': [
    `v: 3\na0: &a0 [x,x,x,x,x,x,x,x,x]\n${times(20, (i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(9)}]`)}\nfree: *a20`,
    /aliases make more than 50000 values of the file/,
  ],
  'a chain of aliases': [
    `v: 3\na0: &a0 [1]\n${times(2_000, (i) => `a${i + 1}: &a${i + 1} [*a${i}]`)}\nfree: *a2000`,
    /nested more than 40 levels deep/,
  ],
  'a bomb of merges': [
    `v: 3\na: &a\n${times(2_000, (i) => ` k${i}: 1`)}\n${times(2_000, (i) => `m${i}: {<<: *a}`)}`,
    /takes over more than 10000 keys/,
  ],
  'sections repeated by aliases': [
    `v: 3\na: &a {a: [${'1,'.repeat(1_000)}]}\nrows: [${'*a,'.repeat(10_000)}]`,
    /aliases make more than 50000 values/,
  ],
}

for (const [name, [content, message]] of Object.entries(hostile)) {
  test(`refuses ${name} in bounded time`, () => {
    const start = performance.now()
    assert.throws(
      () => load(content),
      (error) => error instanceof ConfigError && error.code === 'BAD_FILE' && message.test(error.message),
    )
    assert.ok(performance.now() - start < limit, `took ${performance.now() - start} ms`)
  })
}

test('reads a bomb that no key unfolds', () => {
  const bomb = `v: 3\na0: &a0 [x,x]\n${times(35, (i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`)}\n`
  assert.equal(load(bomb).warnings.length, 36)
})

test('many unknown keys cost a bounded number of warnings', () => {
  const start = performance.now()
  const { warnings } = load(`v: 3\n${times(12_000, (i) => `k${i}: 1`)}`)
  assert.equal(warnings.length, 100)
  assert.ok(performance.now() - start < limit)
})

test('many equal keys cost a bounded number of warnings', () => {
  const start = performance.now()
  const { warnings } = load(`v: 3\n${'free: 1\n'.repeat(12_000)}`)
  assert.equal(warnings.length, 100)
  assert.ok(performance.now() - start < limit)
})

test('free-form values never touch a prototype', () => {
  const { config } = load('v: 3\nfree: {__proto__: {polluted: yes}, constructor: {prototype: {polluted: yes}}}')
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
  assert.deepEqual(Object.keys((config as { free: object }).free), ['__proto__', 'constructor'])
})
