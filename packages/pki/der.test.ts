import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  derTag,
  element,
  expectTag,
  integer,
  objectIdentifier,
  octetString,
  readElement,
  readElements,
  readObjectIdentifier,
  sequence,
  time,
} from './der.ts'

test('lengths take as many octets as they need, and read back', () => {
  for (const [length, header] of [
    [0, '0400'],
    [127, '047f'],
    [128, '048180'],
    [255, '0481ff'],
    [256, '04820100'],
    [65_535, '0482ffff'],
    [65_536, '048400010000'],
  ] as const) {
    const bytes = octetString(Buffer.alloc(length))
    assert.equal(bytes.subarray(0, header.length / 2).toString('hex'), header)
    assert.equal(readElement(bytes).content.length, length)
  }
})

test('integers are never negative and never padded', () => {
  for (const [magnitude, encoded] of [
    ['', '020100'],
    ['00', '020100'],
    ['7f', '02017f'],
    ['80', '02020080'],
    ['000001', '020101'],
  ] as const) {
    assert.equal(integer(Buffer.from(magnitude, 'hex')).toString('hex'), encoded)
  }
})

test('object identifiers read back', () => {
  for (const id of ['2.5.29.37.0', '1.2.840.113549.1.7.2', '1.3.101.112', '2.999.3']) {
    assert.equal(readObjectIdentifier(readElement(objectIdentifier(id)).content), id)
  }
})

test('times change their form with the year 2050', () => {
  const last = time(Date.UTC(2049, 11, 31, 23, 59, 59, 999))
  const first = time(Date.UTC(2050, 0, 1))
  assert.deepEqual([last[0], last.subarray(2).toString()], [derTag.utcTime, '491231235959Z'])
  assert.deepEqual([first[0], first.subarray(2).toString()], [derTag.generalizedTime, '20500101000000Z'])
})

test('every truncation is refused', () => {
  const whole = sequence(octetString(Buffer.alloc(200)), integer(Buffer.of(5)))
  for (let length = 0; length < whole.length; length++) {
    assert.throws(() => readElement(whole.subarray(0, length)), { code: 'BAD_DER' }, `${length} octets`)
  }
})

const refused: Record<string, string> = {
  'a tag of several octets': '1f8101 00',
  'an indefinite length': '3080 0000',
  'a length of five octets': '3085 0000000001 00',
  'a length beyond the input': '30ff',
  'a child longer than its parent': '3003 0405 00',
}
for (const [name, hex] of Object.entries(refused)) {
  test(`refuses ${name}`, () => {
    const bytes = Buffer.from(hex.replaceAll(' ', ''), 'hex')
    assert.throws(() => readElements(readElement(bytes).content), { code: 'BAD_DER' })
  })
}

test('refuses more elements than asked for, another tag, and endless arcs', () => {
  assert.throws(() => readElements(Buffer.alloc(200), 64), { code: 'BAD_DER' })
  assert.throws(() => expectTag(readElement(element(derTag.null)), derTag.integer), { code: 'BAD_DER' })
  assert.throws(() => expectTag(undefined, derTag.integer), { code: 'BAD_DER' })
  assert.throws(() => readObjectIdentifier(Buffer.from('ffffffffffff7f', 'hex')), { code: 'BAD_DER' })
  assert.throws(() => readObjectIdentifier(Buffer.from('5581', 'hex')), { code: 'BAD_DER' })
  assert.throws(() => readObjectIdentifier(Buffer.alloc(0)), { code: 'BAD_DER' })
})
