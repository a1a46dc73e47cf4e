// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation under test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeSection, listOf, mapOf, oneOrMore } from './collection-kinds.ts'
import { ConfigError } from './config-error.ts'
import { minute } from './duration.ts'
import { loadConfigFile } from './load-config-file.ts'
import { renderProblems } from './problem.ts'
import { duration, exactly, flag, hostPort, integer, oneOf, text } from './scalar-kinds.ts'
import { type Findings, optional, required, section, subsection, withDefault } from './section.ts'
import { sectionByKey } from './section-by-key.ts'
import { variants } from './variants.ts'

const limits = section({
  keys: {
    min: withDefault(integer({ min: 0 }), 1, 'smallest'),
    max: withDefault(integer({ min: 0 }), 10, 'largest'),
    wait: withDefault(duration({ min: minute, belowMin: 'default' }), 5 * minute, 'how long'),
    old: optional(text({ blank: 'absent' }), 'former', { name: 'old_name' }),
  },
  ignored: { speed: 'it is always fast' },
  check(draft, findings) {
    if (draft.min !== undefined && draft.max !== undefined && draft.min > draft.max) {
      findings.problem(draft, 'min', `wanted at most ${draft.max}, found ${draft.min}`)
    }
  },
})

const schema = section({
  keys: {
    v: required(exactly(3), 'version'),
    name: required(text(), 'a name'),
    limits: subsection(limits, 'limits'),
    more: optional(limits, 'further limits'),
    listeners: withDefault(
      listOf(
        variants('binding', {
          edge: section({ keys: { address: required(hostPort(), 'where') } }),
          tunnel: section({ keys: { mode: withDefault(oneOf(['host', 'tproxy']), 'host', 'how') } }),
        }),
      ),
      [],
      'listeners',
    ),
    points: withDefault(
      listOf(
        sectionByKey('inside', {
          present: section({ keys: { inside: required(text(), 'in') } }),
          absent: section({ keys: { outside: required(text(), 'out') } }),
        }),
      ),
      [],
      'points',
    ),
    tags: withDefault(mapOf(oneOrMore(text())), {}, 'tags'),
    extra: optional(freeSection(), 'anything'),
    isFast: withDefault(flag(), false, 'speed'),
  },
})

type Assemble = (value: object, findings: Findings) => object

function load(content: string, environment = {}, assemble: Assemble = (value) => value) {
  const spec = { schema, version: { key: 'v', value: 3 }, assemble }
  return loadConfigFile(spec, { fileName: 'router.yml', text: content }, environment)
}

function problemsOf(content: string, environment = {}): string {
  try {
    load(content, environment)
  } catch (error) {
    if (error instanceof ConfigError && error.code === 'BAD_FILE') return error.message
    throw error
  }
  assert.fail('was not refused')
}

test('gives values, defaults and a frozen object', () => {
  const { config, warnings } = load(
    [
      'v: 3',
      'name: $NAME',
      'limits: {max: 20, old_name: ""}',
      'listeners: [{binding: tunnel}, {binding: edge, address: "[::1]:80"}]',
      'points: [{inside: a}, {outside: b}]',
      'tags: {one: a, two: [b, c]}',
      'extra: {deep: [1, 1.5, yes, ~, "$NAME", {x: y}]}',
    ].join('\n'),
    { NAME: 'edge-1' },
  )
  assert.deepEqual(warnings, [])
  assert.deepEqual(config, {
    v: 3,
    name: 'edge-1',
    limits: { min: 1, max: 20, wait: 300_000, old: undefined },
    more: undefined,
    listeners: [
      { binding: 'tunnel', mode: 'host' },
      { binding: 'edge', address: { host: '::1', port: 80, text: '[::1]:80' } },
    ],
    points: [{ inside: 'a' }, { outside: 'b' }],
    tags: { one: ['a'], two: ['b', 'c'] },
    extra: { deep: [1, 1.5, true, null, 'edge-1', { x: true }] },
    isFast: false,
  })
  const deep = (config as { extra: { deep: unknown[] } }).extra.deep
  assert.throws(() => deep.push(1), TypeError)
})

test('shows every problem at once, in the order of the file', () => {
  const content = [
    'v: 3',
    'limits:',
    '  min: 5',
    '  max: 2',
    '  wait: soon',
    'listeners:',
    '  - binding: edge',
    '    address: 0.0.0.0',
    '  - binding: tunel',
    '  - mode: host',
    '  - just text',
    'points:',
    '  - other: 1',
    'isFast: perhaps',
    '',
  ].join('\n')
  assert.equal(
    problemsOf(content),
    `
router.yml:1:1  name  is required, and missing
    1 | v: 3
      | ^
router.yml:3:8  limits.min  wanted at most 2, found 5
    3 |   min: 5
      |        ^
router.yml:5:9  limits.wait  wanted a duration such as 30s or 1h30m, found "soon"
    5 |   wait: soon
      |         ^^^^
router.yml:8:14  listeners[0].address  wanted host:port, found no port
    8 |     address: 0.0.0.0
      |              ^^^^^^^
router.yml:9:14  listeners[1].binding  wanted one of edge, tunnel, found "tunel"; did you mean tunnel?
    9 |   - binding: tunel
      |              ^^^^^
router.yml:10:5  listeners[2].binding  is required, and missing: one of edge, tunnel
   10 |   - mode: host
      |     ^^^^^^^^^^
router.yml:11:5  listeners[3]  wanted a section with \`binding\`, found just text
   11 |   - just text
      |     ^^^^^^^^^
router.yml:13:5  points[0].outside  is required, and missing
   13 |   - other: 1
      |     ^^^^^^^^
router.yml:13:5  points[0].other  warning: unknown key, ignored
   13 |   - other: 1
      |     ^^^^^
router.yml:14:9  isFast  wanted true or false, found "perhaps"
   14 | isFast: perhaps
      |         ^^^^^^^`.slice(1),
  )
})

test('warns and goes on', () => {
  const content = [
    'v: 3',
    'name: x',
    'limits:',
    '  wait: 10s',
    '  spede: 1',
    '  speed: 2',
    '  maks: 3',
    'isFast:',
    'tags:',
    'more:',
    'unheardOf: {a: b}',
    'extra: {a: "$A$B$A"}',
    '',
  ].join('\n')
  const { config, warnings } = load(content)
  assert.equal(
    renderProblems(warnings),
    `
router.yml:4:9  limits.wait  warning: shorter than 1m, so the default 5m is used
    4 |   wait: 10s
      |         ^^^
router.yml:5:3  limits.spede  warning: unknown key, ignored
    5 |   spede: 1
      |   ^^^^^
router.yml:6:3  limits.speed  warning: has no effect: it is always fast
    6 |   speed: 2
      |   ^^^^^
router.yml:7:3  limits.maks  warning: unknown key, ignored
    7 |   maks: 3
      |   ^^^^
router.yml:8:1  isFast  warning: has no value, so the default false is used
    8 | isFast:
      | ^^^^^^
router.yml:11:1  unheardOf  warning: unknown key, ignored
   11 | unheardOf: {a: b}
      | ^^^^^^^^^
router.yml:12:12  extra.a  warning: not set in the environment, so it stands for nothing: A, B
   12 | extra: {a: "$A$B$A"}
      |            ^^^^^^^^`.slice(1),
  )
  const { more, tags } = config as { more: unknown; tags: unknown }
  assert.deepEqual([more, tags], [undefined, {}])
})

test('suggests the nearest key', () => {
  const { warnings } = load('v: 3\nname: x\nisfast: yes\nlistner: []\nlimits: {old-name: x}\n')
  assert.deepEqual(
    warnings.map(({ message }) => message),
    [
      'unknown key, ignored; did you mean isFast?',
      'unknown key, ignored; did you mean listeners?',
      'unknown key, ignored; did you mean old_name?',
    ],
  )
})

test('judges the version first, and alone', () => {
  const wrong = (written: string) => problemsOf(`${written}\nlimits: {min: x}\n`).split('\n')[0]
  assert.equal(wrong('v: 2'), 'router.yml:1:4  v  wanted 3, the only version understood, found 2')
  assert.equal(wrong('v: "3"'), 'router.yml:1:4  v  wanted 3, the only version understood, found 3')
  assert.equal(wrong('v: [3]'), 'router.yml:1:4  v  wanted 3, the only version understood, found a list')
  assert.equal(wrong('v:'), 'router.yml:1:1  v  wanted 3, the only version understood, found nothing')
  assert.equal(wrong('w: 3'), 'router.yml:1:1  v  is required, and missing; wanted v: 3')
  assert.equal(problemsOf('v: 2\nlimits: {min: x}\n').split('\n').length, 3)
})

test('what is found while assembling is shown at its place', () => {
  const assemble: Assemble = (value, findings) => {
    const { limits: read, extra } = value as { limits: { max: number }; extra: unknown }
    findings.warning(read, 'max', 'rather high')
    findings.problem(value as { extra: unknown }, ['extra', 'list', 1, 'missing'], 'wanted more')
    findings.problem(read, 'itself', 'not liked')
    return { extra }
  }
  const content = 'v: 3\nname: x\nlimits:\n  max: 99\nextra:\n  list: [a, {b: c}]\n'
  assert.throws(() => load(content, {}, assemble), {
    message: `
router.yml:3:1  limits  not liked
    3 | limits:
      | ^^^^^^
router.yml:4:8  limits.max  warning: rather high
    4 |   max: 99
      |        ^^
router.yml:6:13  extra.list[1].missing  wanted more
    6 |   list: [a, {b: c}]
      |             ^^^^^^`.slice(1),
  })
})

test('a value used twice by an alias is read twice, and warned about once', () => {
  const { config, warnings } = load('v: 3\nname: &n "x$U"\ntags: {a: *n, b: *n}\n')
  assert.deepEqual((config as { tags: unknown }).tags, { a: ['x'], b: ['x'] })
  assert.equal(warnings.length, 1)
})
