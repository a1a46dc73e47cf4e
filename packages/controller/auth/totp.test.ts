import assert from 'node:assert/strict'
import { test } from 'node:test'
import { base32, provisioningUrl, stepOfCode, totpCode, useStep } from './totp.ts'

const seed = Buffer.from('48656c6c6f21deadbeef', 'hex')
const now = 1_111_111_109_000

test('codes are those of the known vector', () => {
  assert.equal(base32(seed), 'JBSWY3DPEHPK3PXP')
  assert.equal(totpCode(seed, 37_037_036), '071271')
})

test('codes are those of RFC 6238, appendix B', () => {
  const rfcSeed = Buffer.from('12345678901234567890', 'latin1')
  const cases: [number, string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ]
  for (const [seconds, code] of cases) assert.equal(totpCode(rfcSeed, Math.floor(seconds / 30)), code)
})

test('two steps to either side are accepted, and which one is told', () => {
  const codes = ['980851', '965766', '071271', '358462', '490635']
  for (const [index, code] of codes.entries()) assert.equal(stepOfCode(seed, code, now), 37_037_034 + index)
  assert.equal(stepOfCode(seed, totpCode(seed, 37_037_039), now), undefined)
  assert.equal(stepOfCode(seed, totpCode(seed, 37_037_033), now), undefined)
})

for (const code of ['', '07127', '0712710', ' 71271', '07127a', '０７１２７１']) {
  test(`what is not six digits is no code: ${JSON.stringify(code)}`, () => {
    assert.equal(stepOfCode(seed, code, now), undefined)
  })
}

test('a step is used once, in whatever order they come, and old ones never again', () => {
  let used: readonly number[] = []
  for (const step of [100, 102, 101, 99, 98]) {
    used = useStep(used, step)!
    assert.ok(used.includes(step))
    assert.equal(useStep(used, step), undefined)
  }
  assert.equal(useStep(used, 97), undefined)
  used = useStep(used, 106)!
  assert.deepEqual(used, [102, 106])
  assert.equal(useStep(used, 101), undefined)
  assert.deepEqual(useStep(used, 103), [102, 106, 103])
})

test('base32 pads nothing and loses no bits', () => {
  assert.equal(base32(Buffer.from('0011223344556677', 'hex')).slice(0, 6), 'AAISEM')
  assert.equal(base32(Buffer.from([0xff])), '74')
  assert.equal(base32(Buffer.alloc(0)), '')
})

test('a name with special characters cannot add parameters to the provisioning URL', () => {
  const url = provisioningUrl('openziti.io', 'a&secret=B?c/d:e', seed)
  assert.equal(url, 'otpauth://totp/openziti.io:a%26secret%3DB%3Fc%2Fd%3Ae?issuer=openziti.io&secret=JBSWY3DPEHPK3PXP')
  assert.deepEqual(new URL(url).searchParams.getAll('secret'), ['JBSWY3DPEHPK3PXP'])
})
