import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError, type ConfigErrorCode } from './config-error.ts'
import { type ConfigSource, largestConfigFile, readSource } from './read-source.ts'

const folder = mkdtempSync(join(tmpdir(), 'weft-config-'))
after(() => rmSync(folder, { recursive: true }))

function file(content: string | Uint8Array): string {
  const path = join(folder, 'f.yml')
  writeFileSync(path, content)
  return path
}

function refusal(source: ConfigSource): ConfigError {
  try {
    readSource(source)
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  assert.fail('was not refused')
}

function assertRefused(source: ConfigSource, code: ConfigErrorCode, message: RegExp): void {
  const error = refusal(source)
  assert.equal(error.code, code)
  assert.match(error.message, message)
}

test('tells "no file" from "unreadable" from "bad"', { skip: process.platform === 'win32' }, () => {
  assertRefused(join(folder, 'none.yml'), 'NO_FILE', /none\.yml: there is no such file$/)
  assertRefused(join(file('v: 3'), 'below'), 'NO_FILE', /there is no such file$/)
  assertRefused(folder, 'UNREADABLE_FILE', /cannot be read: it is a directory$/)
  assertRefused(file('\0'), 'BAD_FILE', /NUL/)
  assert.ok(refusal(folder).cause instanceof Error)
})

test('says when permission is missing', { skip: process.platform === 'win32' || process.getuid?.() === 0 }, () => {
  const path = file('v: 3')
  chmodSync(path, 0)
  assertRefused(path, 'UNREADABLE_FILE', /permission denied$/)
  chmodSync(path, 0o600)
})

test('reads up to 1 MiB and not a byte more', () => {
  assert.equal(readSource(file('#'.repeat(largestConfigFile))).text.length, largestConfigFile)
  assertRefused(file('#'.repeat(largestConfigFile + 1)), 'BAD_FILE', /larger than 1048576 bytes/)
  assertRefused({ fileName: 'f.yml', text: 'ü'.repeat(largestConfigFile / 2 + 1) }, 'BAD_FILE', /larger than/)
})

test('reads an endless source only to its bound', { skip: process.platform === 'win32' }, () => {
  assertRefused('/dev/zero', 'BAD_FILE', /larger than 1048576 bytes/)
})

test('points at the first byte that is not UTF-8', () => {
  const bytes = Buffer.concat([Buffer.from('a: \ufffd\nbü: x'), Buffer.from([0xe4]), Buffer.from('y\n')])
  const { problems } = refusal(file(bytes))
  assert.deepEqual([problems[0]!.line, problems[0]!.column], [2, 6])
  assert.equal(problems[0]!.message, 'byte 0xe4 is not valid UTF-8; save the file as UTF-8')
})

test('refuses UTF-16, lone surrogates and control characters', () => {
  assertRefused(file(Buffer.from('\ufeffv: 3', 'utf16le')), 'BAD_FILE', /is UTF-16; save it as UTF-8/)
  assertRefused({ fileName: 'f.yml', text: 'a: \ud800' }, 'BAD_FILE', /f\.yml:1:4 {2}half of a character/)
  assertRefused(
    { fileName: 'f.yml', text: 'a: 1\nb: \u001b[2J' },
    'BAD_FILE',
    /f\.yml:2:4 {2}control character U\+001B/,
  )
})

test('leaves a byte order mark out', () => {
  assert.equal(readSource(file('\ufeffv: 3')).text, 'v: 3')
})
