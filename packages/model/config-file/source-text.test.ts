import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SourceText } from './source-text.ts'

function excerptOf(text: string, part: string): string {
  const start = text.indexOf(part)
  return new SourceText('f.yml', text).excerpt({ start, end: start + part.length })
}

test('counts lines and columns from 1, columns in characters', () => {
  const source = new SourceText('f.yml', 'a: 1\nb: "😀x"\r\nlast')
  assert.deepEqual(source.position(0), { line: 1, column: 1 })
  assert.deepEqual(source.position(source.text.indexOf('x')), { line: 2, column: 6 })
  assert.deepEqual(source.position(source.text.indexOf('last')), { line: 3, column: 1 })
  assert.deepEqual(source.position(9_999), { line: 3, column: 5 })
})

test('underlines a part of a line, tabs kept so that it fits', () => {
  assert.equal(excerptOf('a:\n\tb: tls:0.0.0.0\n', 'tls:0.0.0.0'), '    2 | \tb: tls:0.0.0.0\n      | \t   ^^^^^^^^^^^')
})

test('underlines only the first line of what spans several', () => {
  assert.equal(excerptOf('a:\n  b: 1\n  c: 2\n', 'b: 1\n  c: 2'), '    2 |   b: 1\n      |   ^^^^')
})

test('cuts a long line around what is underlined', () => {
  const [line, underline] = excerptOf(`a: ${'x'.repeat(300)}here${'y'.repeat(300)}`, 'here').split('\n')
  assert.equal(line!.length, '    1 | '.length + 112)
  assert.equal(line!.slice(underline!.indexOf('^'), underline!.lastIndexOf('^') + 1), 'here')
})

test('does not show lines that nobody wrote', () => {
  assert.equal(excerptOf(`a: ${'x'.repeat(2_000)}`, 'a'), '    1 | (a line of 2003 characters)\n      |')
})

test('stars secrets out, in the same length', () => {
  const cases: [string, string][] = [
    ['  secret: hunter2', '  secret: *******'],
    ['  - clientSecret: "hunter2"', '  - clientSecret: *********'],
    ['password: hunter2 # mine', 'password: **************'],
    ['connectionString: "Endpoint=sb://x"', `connectionString: ${'*'.repeat('"Endpoint=sb://x"'.length)}`],
    ['url: amqp://user:hunter2@host:5672', 'url: amqp://user:*******@host:5672'],
    ['key: pem:-----BEGIN PRIVATE KEY-----', `key: pem:${'*'.repeat('-----BEGIN PRIVATE KEY-----'.length)}`],
    [`  ${'MIIE'.repeat(15)}`, `  ${'*'.repeat(60)}`],
    ['key: /etc/keys/ctrl.key', 'key: /etc/keys/ctrl.key'],
    ['secretsKeyFile: /etc/secrets.key', 'secretsKeyFile: /etc/secrets.key'],
  ]
  for (const [line, shown] of cases) {
    assert.equal(new SourceText('f.yml', line).excerpt({ start: 0, end: 1 }).split('\n')[0], `    1 | ${shown}`)
  }
})

test('shows nothing that drives a terminal', () => {
  const shown = new SourceText('f.yml', 'a: \u009b2J\u202ex').excerpt({ start: 0, end: 1 })
  assert.equal(shown.split('\n')[0], '    1 | a: \ufffd2J\ufffdx')
})
