// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the notation under test
import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { expandEnvironment } from './environment.ts'

const environment = { NAME: 'value', _X1: 'x', EMPTY: '', 'odd:name': 'odd', __proto__: null as unknown as undefined }

test('expands as the peers do', () => {
  const cases: [string, string][] = [
    ['plain', 'plain'],
    ['$NAME', 'value'],
    ['a/${NAME}/b', 'a/value/b'],
    ['$NAME$_X1', 'valuex'],
    ['$NAME.pem', 'value.pem'],
    ['${NAME}NAME', 'valueNAME'],
    ['${EMPTY}', ''],
    ['${odd:name}', 'odd'],
    ['costs 5$', 'costs 5$'],
    ['$ x', '$ x'],
    ['$/x', '$/x'],
    ['${}x', 'x'],
    ['${NAME', 'NAME'],
  ]
  for (const [text, expanded] of cases) {
    assert.deepEqual(expandEnvironment(text, environment), { text: expanded, isChanged: text !== expanded, unset: [] })
  }
})

test('names what is not set, which stands for nothing', () => {
  assert.deepEqual(expandEnvironment('$A-${B:default}-$$x-$1', environment), {
    text: '--x-',
    isChanged: true,
    unset: ['A', 'B:default', '$', '1'],
  })
  assert.deepEqual(expandEnvironment('${toString}', environment).unset, ['toString'])
})

test('does not expand what a variable contains', () => {
  assert.equal(expandEnvironment('$A', { A: '$B', B: 'b' }).text, '$B')
})

test('always knows the directory for temporary files', () => {
  assert.equal(expandEnvironment('$TMPDIR|${TMP}|$TEMP', {}).text, [tmpdir(), tmpdir(), tmpdir()].join('|'))
  assert.equal(expandEnvironment('$TMP', { TMP: '/a', TMPDIR: '/b' }).text, '/b')
})
