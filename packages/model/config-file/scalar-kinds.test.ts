// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation under test
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hour, minute, second } from './duration.ts'
import { isValue, type Kind, UseDefault } from './kind.ts'
import { Place, Reading } from './place.ts'
import { ProblemList } from './problem.ts'
import { readSource } from './read-source.ts'
import {
  custom,
  decimal,
  duration,
  exactly,
  flag,
  hostPort,
  integer,
  ipOrCidr,
  oneOf,
  protocolAddress,
  secretText,
  text,
  wholeUnits,
} from './scalar-kinds.ts'
import { parseYamlTree } from './yaml-tree.ts'

const environment = { N: '12', WORD: 'json', YES: 'True', PORT: '1280' }

/** What a kind makes of a value: the value, or its messages. */
function read(kind: Kind<unknown>, written: string): unknown {
  const source = readSource({ fileName: 'f.yml', text: `x: ${written}` })
  const problems = new ProblemList(source)
  const place = new Place(new Reading(problems, environment), 'x', { start: 0, end: 1 })
  const outcome = kind.read(parseYamlTree(source).entries.get('x')!.value, place)
  const messages = problems.inOrder().map(({ message }) => message)
  if (outcome instanceof UseDefault) return `default: ${outcome.reason}`
  if (!isValue(outcome)) return messages[0] ?? 'absent'
  return messages.length > 0 ? [outcome, ...messages] : outcome
}

function check(kind: Kind<unknown>, cases: [written: string, expected: unknown][]): void {
  for (const [written, expected] of cases) assert.deepEqual(read(kind, written), expected, written)
}

test('text', () => {
  check(text(), [
    ['hello', 'hello'],
    ['"5"', '5'],
    ['a $WORD', 'a json'],
    ['${UNSET}/x', ['/x', 'not set in the environment, so it stands for nothing: UNSET']],
    ['5', 'wanted text, found 5; put it in quotes'],
    ['yes', 'wanted text, found true; put it in quotes'],
    ['', 'wanted text, found nothing'],
    ['" "', 'wanted text, found nothing'],
    ['[a]', 'wanted text, found a list'],
    ['{a: 1}', 'wanted text, found a section'],
  ])
  check(text({ blank: 'absent' }), [['""', 'absent']])
})

test('secret text is never quoted', () => {
  check(secretText(), [
    ['hunter2', 'hunter2'],
    ['4711', 'wanted text, found none'],
    ['""', 'wanted text, found none'],
  ])
  assert.equal(secretText().show('hunter2'), '(secret)')
})

test('integer', () => {
  check(integer({ min: 1, max: 100 }), [
    ['1', 1],
    ['0x10', 16],
    ['${N}', 12],
    ['0', 'wanted a whole number from 1 to 100, found 0'],
    ['101', 'wanted a whole number from 1 to 100, found 101'],
    ['1.5', 'wanted a whole number from 1 to 100, found 1.5'],
    ['"5"', 'wanted a whole number from 1 to 100, found "5"'],
    ['${WORD}', 'wanted a whole number from 1 to 100, found "json" (from the environment)'],
    ['yes', 'wanted a whole number from 1 to 100, found true'],
    ['', 'wanted a whole number from 1 to 100, found nothing'],
  ])
  check(integer({ min: 10 }), [['5', 'wanted a whole number of at least 10, found 5']])
  check(integer({ max: 10 }), [['50', 'wanted a whole number of at most 10, found 50']])
  check(integer(), [['99999999999999999999', 'wanted a whole number, found 100000000000000000000']])
})

test('decimal', () => {
  check(decimal({ min: 0, max: 1 }), [
    ['0.02', 0.02],
    ['1', 1],
    ['1.01', 'wanted a number from 0 to 1, found 1.01'],
    ['.nan', 'wanted a number from 0 to 1, found NaN'],
    ['x', 'wanted a number from 0 to 1, found "x"'],
  ])
})

test('whole units become milliseconds', () => {
  check(wholeUnits(second, 'seconds', { min: 1, max: 60 }), [
    ['15', 15_000],
    ['0', 'wanted a whole number from 1 to 60 (seconds), found 0'],
    ['15s', 'wanted a whole number from 1 to 60 (seconds), found "15s"'],
  ])
  assert.equal(wholeUnits(second, 'seconds').show(15_000), '15')
})

test('flag', () => {
  check(flag(), [
    ['true', true],
    ['off', false],
    ['"False"', false],
    ['$YES', true],
    ['1', 'wanted true or false, found 1'],
    ['maybe', 'wanted true or false, found "maybe"'],
  ])
})

test('duration', () => {
  const wanted = 'wanted a duration such as 30s or 1h30m from 1s to 10m'
  check(duration({ min: second, max: 10 * minute }), [
    ['90s', 90_000],
    ['"1m30s"', 90_000],
    ['30', `${wanted}, found 30 without a unit`],
    ['11m', `${wanted}, found 11m`],
    ['10ms', `${wanted}, found 10ms`],
    ['-5s', `${wanted}, found "-5s"`],
    ['5 minutes', `${wanted}, found "5 minutes"`],
    ['[1s]', `${wanted}, found a list`],
  ])
  check(duration(), [['0', 0]])
  check(duration({ min: minute, belowMin: 'default' }), [['30s', 'default: shorter than 1m']])
  check(duration({ min: minute, belowMin: 'min' }), [['30s', [60_000, 'shorter than 1m; that is used']]])
  assert.equal(duration().show(1.5 * hour), '1h30m')
})

test('addresses', () => {
  check(hostPort(), [
    ['localhost:$PORT', { host: 'localhost', port: 1280, text: 'localhost:1280' }],
    ['"[::1]:1280"', { host: '::1', port: 1280, text: '[::1]:1280' }],
    ['localhost', 'wanted host:port, found no port'],
    ['1280', 'wanted host:port, found 1280'],
  ])
  check(protocolAddress(['tls'], { isListener: true }), [
    ['tls:0.0.0.0', 'wanted tls:host:port, found no port'],
    ['tcp:0.0.0.0:1', 'wanted tls:host:port, found protocol tcp'],
    ['tls::6262', { protocol: 'tls', host: '', port: 6262, text: 'tls::6262' }],
  ])
  check(protocolAddress(['tls', 'wss'], { blank: 'absent' }), [
    ['""', 'absent'],
    ['wss', 'wanted protocol:host:port, found no protocol'],
  ])
})

test('one of a few words', () => {
  check(oneOf(['json', 'plain']), [
    ['json', 'json'],
    ['$WORD', 'json'],
    ['jsno', 'wanted one of json, plain, found "jsno"; did you mean json?'],
    ['JSON', 'wanted one of json, plain, found "JSON"; did you mean json?'],
    ['xml', 'wanted one of json, plain, found "xml"'],
    ['5', 'wanted one of json, plain, found 5'],
  ])
  check(oneOf(['json', 'plain'], { anyCase: true }), [['JSON', 'json']])
})

test('numbers outside of bounds that the peers move', () => {
  check(integer({ min: 10, belowMin: 'min', max: 60, aboveMax: 'default' }), [
    ['9', [10, 'less than 10; that is used']],
    ['10', 10],
    ['60', 60],
    ['61', 'default: more than 60'],
  ])
  check(wholeUnits(1_000, 'seconds', { min: 30, belowMin: 'min', max: 90 }), [
    ['5', [30_000, 'less than 30; that is used']],
    ['91', 'wanted a whole number of at most 90 (seconds), found 91'],
  ])
  check(duration({ max: minute, aboveMax: 'max' }), [['90s', [60_000, 'longer than 1m; that is used']]])
})

test('exactly one number', () => {
  check(exactly(3), [
    ['3', 3],
    ['4', 'wanted 3, found 4'],
    ['"3"', 'wanted 3, found "3"'],
  ])
})

test('IP addresses and blocks', () => {
  const wanted = 'wanted an IP address or a CIDR block such as 10.0.0.0/8'
  check(ipOrCidr(), [
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['"fd00::/64"', 'fd00::/64'],
    ['192.168.5.5', '192.168.5.5'],
    ['10.0.0.0/33', `${wanted}, found "10.0.0.0/33"`],
    ['10.0.0.0/8/8', `${wanted}, found "10.0.0.0/8/8"`],
    ['example.com', `${wanted}, found "example.com"`],
  ])
})

test('custom parsers', () => {
  const even = custom('an even word', (word) => (word.length % 2 === 0 ? word.toUpperCase() : undefined))
  check(even, [
    ['ab', 'AB'],
    ['abc', 'wanted an even word, found "abc"'],
    ['12', 'wanted an even word, found 12'],
  ])
})

test('what is found is shown shortened', () => {
  const message = read(integer(), `"${'x'.repeat(200)}"`)
  assert.equal(message, `wanted a whole number, found "${'x'.repeat(60)}…"`)
})
