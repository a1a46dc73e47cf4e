import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodePem, encodePem, pemLimits, wrapBase64 } from './pem.ts'

const der = Buffer.from('some bytes that stand for DER, long enough for more than one line of base64 text')
const block = encodePem('CERTIFICATE', der)

const accepted: Record<string, string> = {
  'one block': block,
  'text before and after': `subject=CN = x\n${block}trailing words\n`,
  'Windows line ends': block.replaceAll('\n', '\r\n'),
  'indented lines': block.replaceAll(/^/gm, '    '),
  'no newline at the end': block.trimEnd(),
  'all base64 in one line': `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----`,
}
for (const [name, text] of Object.entries(accepted)) {
  test(`reads ${name}`, () => {
    assert.deepEqual(decodePem(text), [{ label: 'CERTIFICATE', der, isEncrypted: false }])
  })
}

const refused: Record<string, [text: string, code: string]> = {
  'an empty text': ['', 'NOT_PEM'],
  prose: ['hello', 'NOT_PEM'],
  'a marker in the middle of a line': [`see -----BEGIN CERTIFICATE----- for more`, 'NOT_PEM'],
  'a block without an end': [block.slice(0, -30), 'NOT_PEM'],
  'an end of another type': [block.replace('END CERTIFICATE', 'END PRIVATE KEY'), 'NOT_PEM'],
  'a good block and half of another': [block + block.slice(0, 60), 'NOT_PEM'],
  'an empty block': ['-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n', 'NOT_PEM'],
  'damaged base64': [block.replace('c', '!'), 'NOT_PEM'],
  'base64 with a character missing': [block.replace('c', ''), 'NOT_PEM'],
  'an endless label': [`-----BEGIN ${'A'.repeat(1000)}-----\n`, 'NOT_PEM'],
  '10,000 blocks': [
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'.repeat(10_000).slice(0, pemLimits.bytes),
    'TOO_MANY_BLOCKS',
  ],
  'one block too many': [block.repeat(pemLimits.blocks + 1), 'TOO_MANY_BLOCKS'],
  'one character too many': [`${block}${' '.repeat(pemLimits.bytes - block.length + 1)}`, 'INPUT_TOO_LARGE'],
  'a huge input': ['-----BEGIN CERTIFICATE-----\n'.repeat(1_000_000), 'INPUT_TOO_LARGE'],
}
for (const [name, [text, code]] of Object.entries(refused)) {
  test(`refuses ${name}`, () => {
    assert.throws(() => decodePem(text), { name: 'PkiError', code })
  })
}

test('accepts input that fills both limits exactly', () => {
  assert.equal(decodePem(block.repeat(pemLimits.blocks)).length, pemLimits.blocks)
  assert.equal(decodePem(block.padEnd(pemLimits.bytes)).length, 1)
})

test('the work for hostile text grows with its length, not with its square', () => {
  const dense = ' -----BEGIN X'.repeat(80_000)
  const started = performance.now()
  assert.throws(() => decodePem(dense, { bytes: 2_000_000, blocks: 16 }), { code: 'NOT_PEM' })
  assert.ok(performance.now() - started < 2_000)
})

test('sees the encryption that hides in header lines', () => {
  const [read] = decodePem(
    `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nAAAA\n-----END RSA PRIVATE KEY-----\n`,
  )
  assert.equal(read!.isEncrypted, true)
})

test('base64 lines have 64 characters and no newline at the end', () => {
  const lines = wrapBase64(Buffer.alloc(100)).split('\n')
  assert.deepEqual(
    lines.map((line) => line.length),
    [64, 64, 8],
  )
})
