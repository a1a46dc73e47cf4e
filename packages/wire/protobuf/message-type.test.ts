import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defineMessage, type InitOf, type MessageOf, map, oneof, repeated } from './message-type.ts'
import { type ProtobufErrorCode, protobufErrors } from './protobuf-error.ts'
import {
  bool,
  bytes,
  double,
  enumeration,
  int32,
  int64,
  safeInt64,
  safeUint64,
  text,
  uint32,
  uint64,
} from './scalars.ts'
import { millisecondsOf, timestamp, timestampOf } from './timestamp.ts'

const color = enumeration('Color', { Red: 0, Green: 1, Blue: 5 })
const point = defineMessage('Point', { x: [1, int32], y: [2, int32] })
const sample = defineMessage('Sample', {
  flag: [1, bool],
  small: [2, int32],
  count: [3, uint32],
  signed: [4, int64],
  unsigned: [5, uint64],
  index: [6, safeUint64],
  offset: [7, safeInt64],
  ratio: [8, double],
  name: [9, text],
  data: [10, bytes],
  color: [11, color],
  point: [12, point],
  numbers: [13, repeated(uint32)],
  colors: [14, repeated(color)],
  names: [15, repeated(text)],
  points: [16, repeated(point)],
  byName: [17, map(text, point)],
  byNumber: [18, map(uint32, bytes)],
  choice: oneof({ left: [19, point], right: [20, text] }),
  time: [21, timestamp],
})

const blank: MessageOf<typeof sample> = {
  flag: false,
  small: 0,
  count: 0,
  signed: 0n,
  unsigned: 0n,
  index: 0,
  offset: 0,
  ratio: 0,
  name: '',
  data: Buffer.alloc(0),
  color: 'Red',
  point: undefined,
  numbers: [],
  colors: [],
  names: [],
  points: [],
  byName: new Map(),
  byNumber: new Map(),
  choice: undefined,
  time: undefined,
}

function refusal(hex: string): ProtobufErrorCode {
  try {
    sample.decode(Buffer.from(hex, 'hex'))
  } catch (error) {
    assert.equal((error as Error).name, 'ProtobufError')
    return (error as { code: ProtobufErrorCode }).code
  }
  return assert.fail('accepted')
}

describe('a protobuf message', () => {
  const cases: [InitOf<typeof sample>, string][] = [
    [{ flag: true }, '0801'],
    [{ small: -1 }, '10ffffffffffffffffff01'],
    [{ small: -0x8000_0000 }, '1080808080f8ffffffff01'],
    [{ small: 0x7fff_ffff }, '10ffffffff07'],
    [{ count: 0xffff_ffff }, '18ffffffff0f'],
    [{ signed: -2n }, '20feffffffffffffffff01'],
    [{ signed: -(2n ** 63n) }, '2080808080808080808001'],
    [{ unsigned: 2n ** 64n - 1n }, '28ffffffffffffffffff01'],
    [{ index: 300 }, '30ac02'],
    [{ index: Number.MAX_SAFE_INTEGER }, '30ffffffffffffff0f'],
    [{ offset: -1 }, '38ffffffffffffffffff01'],
    [{ offset: Number.MIN_SAFE_INTEGER }, '3881808080808080f0ff01'],
    [{ ratio: 1.5 }, '41000000000000f83f'],
    [{ ratio: -0 }, '410000000000000080'],
    [{ name: 'web' }, '4a03776562'],
    [{ name: '\ufffd\u{1f600}' }, '4a07efbfbdf09f9880'],
    [{ data: Buffer.from([1, 2]) }, '52020102'],
    [{ color: 'Blue' }, '5805'],
    [{ color: 7 }, '5807'],
    [{ color: -1 }, '58ffffffffffffffffff01'],
    [{ point: { x: 0, y: 0 } }, '6200'],
    [{ point: { x: 1, y: 2 } }, '620408011002'],
    [{ numbers: [0, 1, 300] }, '6a040001ac02'],
    [{ colors: ['Red', 'Green', 9] }, '7203000109'],
    [{ names: ['', 'a'] }, '7a007a0161'],
    [
      {
        points: [
          { x: 0, y: 0 },
          { x: 1, y: 0 },
        ],
      },
      '820100' + '8201020801',
    ],
    [
      {
        byName: new Map([
          ['b', { x: 1, y: 0 }],
          ['a', { x: 0, y: 0 }],
        ]),
      },
      '8a01050a01611200' + '8a01070a016212020801',
    ],
    [
      {
        byNumber: new Map([
          [300, Buffer.from([9])],
          [2, Buffer.alloc(0)],
        ]),
      },
      '92010408021200' + '92010608ac02120109',
    ],
    [{ choice: { kind: 'left', value: { x: 0, y: 0 } } }, '9a0100'],
    [{ choice: { kind: 'right', value: '' } }, 'a20100'],
    [{ time: 0n }, 'aa0100'],
    [{ time: 1_500_000_000n }, 'aa010808011080cab5ee01'],
    [{ time: -1n }, 'aa011108ffffffffffffffffff0110ff93ebdc03'],
    [{ flag: false, count: 0, name: '', data: Buffer.alloc(0), color: 'Red', numbers: [], byName: new Map() }, ''],
  ]
  for (const [value, hex] of cases) {
    it(`is written as ${hex === '' ? 'nothing' : hex} and read back`, () => {
      assert.equal(sample.encode(value).toString('hex'), hex)
      assert.deepEqual(sample.decode(Buffer.from(hex, 'hex')), { ...blank, ...value })
    })
  }

  it('writes fields by number, whatever the order of the value', () => {
    assert.equal(sample.encode({ name: 'a', small: 1, flag: true }).toString('hex'), '080110014a0161')
  })

  it('reads lists of numbers also unpacked, and in pieces', () => {
    const read = sample.decode(Buffer.from('6801' + '6a020203' + '6804', 'hex'))
    assert.deepEqual(read.numbers, [1, 2, 3, 4])
  })

  it('skips what it does not know, in every encoding', () => {
    const unknown = 'f80701' + 'f9070000000000000000' + 'fa0703616263' + 'fd0700000000'
    assert.deepEqual(sample.decode(Buffer.from(`${unknown}0801${unknown}`, 'hex')), { ...blank, flag: true })
  })

  it('takes a known number in another encoding for an unknown field', () => {
    assert.deepEqual(sample.decode(Buffer.from('0a0101' + '48ff01' + '9d0100000000', 'hex')), blank)
  })

  it('merges a message that comes twice, and lets the last scalar and the last choice win', () => {
    const read = sample.decode(
      Buffer.from('62020801' + '62021002' + '1801' + '1802' + '9a01020801' + 'a2010161', 'hex'),
    )
    assert.deepEqual(read.point, { x: 1, y: 2 })
    assert.equal(read.count, 2)
    assert.deepEqual(read.choice, { kind: 'right', value: 'a' })
  })

  it('completes map entries that lack a key or a value', () => {
    const read = sample.decode(Buffer.from('8a0100' + '92010412020102', 'hex'))
    assert.deepEqual(read.byName, new Map([['', { x: 0, y: 0 }]]))
    assert.deepEqual(read.byNumber, new Map([[0, Buffer.from([1, 2])]]))
  })

  it('owns its bytes', () => {
    const frame = Buffer.from('52020102', 'hex')
    const read = sample.decode(frame)
    frame.fill(0)
    assert.deepEqual(read.data, Buffer.from([1, 2]))
  })

  it('writes long contents behind lengths of several bytes', () => {
    for (const length of [127, 128, 16_383, 16_384, 2_097_151, 2_097_152]) {
      const inner = defineMessage('Inner', { data: [1, bytes] })
      const outer = defineMessage('Outer', { inner: [1, inner], tail: [2, text] })
      const value = { inner: { data: Buffer.alloc(length, 7) }, tail: 'end' }
      assert.deepEqual(outer.decode(outer.encode(value)), value)
    }
  })

  it('counts milliseconds as well before 1970', () => {
    assert.equal(millisecondsOf(timestampOf(-1)), -1)
    assert.equal(millisecondsOf(-1n), -1)
    assert.equal(millisecondsOf(1_999_999n), 1)
  })
})

describe('a protobuf decoder refuses', () => {
  const cases: [string, string, ProtobufErrorCode][] = [
    ['a value that is missing', '08', 'TRUNCATED'],
    ['a number that goes on behind the end', '18ff', 'TRUNCATED'],
    ['a text longer than the message', '4a0561', 'TRUNCATED'],
    ['a length of four gigabytes', '4affffffff0f', 'TRUNCATED'],
    ['a length of more than 32 bits', '4affffffffff01', 'TRUNCATED'],
    ['a nested message that is longer than its holder', '8a01040a0861', 'TRUNCATED'],
    ['half a double', '4100000000', 'TRUNCATED'],
    ['half an unknown field', 'f90700', 'TRUNCATED'],
    ['a number of 65 bits', '28ffffffffffffffffff02', 'BAD_VARINT'],
    ['a number of eleven bytes', '288080808080808080808001', 'BAD_VARINT'],
    ['the field number 0', '0001', 'BAD_TAG'],
    ['a tag of more than 32 bits', '88808080808001', 'BAD_TAG'],
    ['a group', 'fb07', 'BAD_TAG'],
    ['an encoding that does not exist', 'ff07', 'BAD_TAG'],
    ['a text that is not UTF-8', '4a02c328', 'BAD_TEXT'],
    ['an index above 2^53', '308080808080808010', 'TOO_LARGE'],
    ['an offset below -2^53', '3880808080808080f0ff01', 'TOO_LARGE'],
  ]
  for (const [what, hex, code] of cases) it(what, () => assert.equal(refusal(hex), code))

  it('every beginning of a message that ends within a field', () => {
    const whole = sample.encode({
      name: 'web',
      point: { x: 1 },
      byName: new Map([['a', { y: 3 }]]),
      ratio: 2,
      time: 5n,
    })
    let accepted = 0
    for (let length = 0; length < whole.length; length++) {
      try {
        sample.decode(whole.subarray(0, length))
        accepted++
      } catch (error) {
        assert.ok((error as { code: string }).code in protobufErrors)
      }
    }
    // Only between two of the five fields, and before the first.
    assert.equal(accepted, 5)
  })

  it('more items than the message may hold, before it makes them', () => {
    const list = defineMessage(
      'List',
      { points: [1, repeated(point)], numbers: [2, repeated(uint32)] },
      { maxItems: 10 },
    )
    assert.equal(list.decode(Buffer.from('0a00'.repeat(10), 'hex')).points.length, 10)
    assert.throws(() => list.decode(Buffer.from('0a00'.repeat(11), 'hex')), { code: 'TOO_MANY' })
    assert.throws(() => list.decode(Buffer.from(`120b${'00'.repeat(11)}`, 'hex')), { code: 'TOO_MANY' })
    const counted = defineMessage('Counted', { byNumber: [1, map(uint32, text)] }, { maxItems: 2 })
    assert.throws(() => counted.decode(Buffer.from('0a00'.repeat(3), 'hex')), { code: 'TOO_MANY' })
  })

  it('messages nested deeper than any table can be', () => {
    let type = defineMessage('Leaf', { x: [1, int32] }) as ReturnType<typeof defineMessage>
    let value: Record<string, unknown> = {}
    for (let depth = 0; depth < 33; depth++) {
      type = defineMessage('Level', { inner: [1, type] })
      value = { inner: value }
    }
    assert.throws(() => type.decode(type.encode(value)), { code: 'TOO_DEEP' })
  })
})

describe('a protobuf encoder refuses', () => {
  const values: [string, InitOf<typeof sample>][] = [
    ['a negative unsigned number', { count: -1 }],
    ['a number of 33 bits', { count: 2 ** 32 }],
    ['a fraction', { small: 1.5 }],
    ['a number that is none', { index: Number.NaN }],
    ['an index that is not exact', { index: 2 ** 53 }],
    ['a bigint of 65 bits', { unsigned: 2n ** 64n }],
    ['a signed bigint of 64 bits', { signed: 2n ** 63n }],
  ]
  for (const [what, value] of values) it(what, () => assert.throws(() => sample.encode(value), { code: 'BAD_VALUE' }))
})

describe('a table', () => {
  it('fails at once when a number is used twice', () => {
    assert.throws(() => defineMessage('Twice', { a: [1, text], b: oneof({ c: [1, text] }) }), /field 1 is there twice/)
    assert.throws(() => defineMessage('Zero', { a: [0, text] }), /no field number/)
    assert.throws(() => enumeration('Names', { a: 0, b: 0 }), /two names/)
    assert.throws(() => enumeration('Names', { a: 1 }), /nothing is named 0/)
  })

  it('gives the type checker its fields', () => {
    const read = sample.decode(Buffer.alloc(0))
    const names: readonly string[] = read.names
    const kind: 'left' | 'right' | undefined = read.choice?.kind
    assert.deepEqual([names, kind], [[], undefined])
    // @ts-expect-error: no such field
    assert.equal(read.other, undefined)
    // @ts-expect-error: no such name
    assert.throws(() => sample.encode({ color: 'Pink' }), { code: 'BAD_VALUE' })
  })
})
