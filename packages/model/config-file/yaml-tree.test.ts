import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError } from './config-error.ts'
import { ProblemList } from './problem.ts'
import { readSource } from './read-source.ts'
import { parseYamlTree, type YamlNode } from './yaml-tree.ts'

function parse(text: string) {
  return parseYamlTree(readSource({ fileName: 'f.yml', text }))
}

function plain(node: YamlNode): unknown {
  if (node.form === 'list') return node.items.map(plain)
  if (node.form === 'scalar') return node.isPlain ? node.text : [node.text]
  return Object.fromEntries([...node.entries].map(([name, { value }]) => [name, plain(value)]))
}

function refusal(text: string): string {
  try {
    parse(text)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  assert.fail('was not refused')
}

test('keeps what was written, and whether it was in quotes', () => {
  const text = 'v: 3\na: {b: [1, "2", \'3\', !!str 4, !!int "5"]}\n? c\n: |\n  x\n  y\nd:\n'
  assert.deepEqual(plain(parse(text)), { v: '3', a: { b: ['1', ['2'], ['3'], ['4'], ['5']] }, c: ['x\ny\n'], d: '' })
})

test('an alias is the value it names, and << takes over what is not there', () => {
  const text = 'base: &base {a: 1, b: 2}\nmore: &more {b: 3, c: 4}\nx: *base\ny: {<<: [*base, *more], a: 0}\n"<<": 1\n'
  const { x, y, '<<': quoted } = plain(parse(text)) as Record<string, unknown>
  assert.deepEqual([x, y, quoted], [{ a: '1', b: '2' }, { a: '0', b: '2', c: '4' }, '1'])
})

test('of a key that is given twice the last counts, as for the peers, with a warning', () => {
  const source = readSource({ fileName: 'f.yml', text: 'a:\n  b: 1\n  c: 2\n  b: 3\n  b: {d: 4}\n' })
  const problems = new ProblemList(source)
  assert.deepEqual(plain(parseYamlTree(source, problems)), { a: { b: { d: '4' }, c: '2' } })
  assert.deepEqual(
    problems.inOrder('warning').map(({ line, path, message }) => `${line} ${path} ${message}`),
    ['4 a.b given twice; that in line 2 has no effect', '5 a.b given twice; that in line 4 has no effect'],
  )
})

test('a key named __proto__ is only a key', () => {
  const root = parse('__proto__: {polluted: 1}\nconstructor: 2\n')
  assert.deepEqual([...root.entries.keys()], ['__proto__', 'constructor'])
  assert.equal(({} as { polluted?: unknown }).polluted, undefined)
})

test('an end mark and comments after the document are no second document', () => {
  assert.deepEqual(plain(parse('---\nv: 3\n...\n# end\n')), { v: '3' })
})

const refusals: [name: string, text: string, message: string][] = [
  ['an empty file', '', 'f.yml:1:1  the file is empty\n    1 | \n      | ^'],
  ['only comments', '# x\n', 'f.yml:1:1  the file is empty\n    1 | # x\n      | ^'],
  [
    'no keys',
    'just text',
    'f.yml:1:1  wanted `key: value` lines at the top level\n    1 | just text\n      | ^^^^^^^^^',
  ],
  ['a list', '- a\n', 'f.yml:1:1  wanted `key: value` lines at the top level\n    1 | - a\n      | ^^^'],
  [
    'two documents',
    'a: 1\n---\nb: 2\n',
    'f.yml:3:1  a second YAML document begins; wanted only one in the file\n    3 | b: 2\n      | ^',
  ],
  [
    'a tab as indentation',
    'a:\n\tb: 1\n',
    'f.yml:2:1  a tab is used to indent; YAML wants spaces\n    2 | \tb: 1\n      | ^',
  ],
  [
    'two keys in a line',
    'a: tls: 1\n',
    'f.yml:1:4  a second `key:` in one value; check the indentation, or put the value in quotes\n    1 | a: tls: 1\n      |    ^',
  ],
  [
    'a sign that needs quotes',
    'a: @x\n',
    'f.yml:1:4  a value cannot begin with this sign; put it in quotes\n    1 | a: @x\n      |    ^',
  ],
  ['an open quote', 'a: "x\n', 'f.yml:2:1  not valid YAML: Missing closing "quote\n    2 | \n      | ^'],
  [
    'an unknown alias',
    'a: *.example.com\n',
    'f.yml:1:4  a  nothing before this is named &.example.com; a value with a * needs quotes\n    1 | a: *.example.com\n      |    ^^^^^^^^^^^^^',
  ],
  [
    'an alias inside its own value',
    'a: &a [1, *a]\n',
    'f.yml:1:11  a[1]  *a stands inside the value it names\n    1 | a: &a [1, *a]\n      |           ^^',
  ],
  ['a tag', 'a: !py x\n', 'f.yml:1:8  a  the tag !py means nothing here\n    1 | a: !py x\n      |        ^'],
  ['a list as key', '? [a]\n: b\n', 'f.yml:1:3  wanted a word as key\n    1 | ? [a]\n      |   ^^^'],
  [
    '<< without a section',
    'a: {<<: 5}\n',
    'f.yml:1:9  a  `<<` wants a section to take over\n    1 | a: {<<: 5}\n      |         ^',
  ],
]

for (const [name, text, message] of refusals) {
  test(`refuses ${name}`, () => assert.equal(refusal(text), message))
}

test('tells all syntax errors, the first of each line', () => {
  const message = refusal('a: @x\nb: `y\nc: 1\n\td: 1\n')
  assert.deepEqual(message.match(/^f\.yml:\d+/gm), ['f.yml:1', 'f.yml:2', 'f.yml:4'])
})
