import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  bigEndianMask,
  bool,
  bytes,
  index,
  namedByte,
  presence,
  prose,
  stringList,
  stringMap,
  text,
  u8,
  u16,
  u32,
  u32BytesMap,
  u64,
  type ValueKind,
} from './value-kinds.ts'

const precedence = namedByte({ low: 0, high: 1 })

interface Case<T> {
  readonly kind: ValueKind<T>
  /** Value and bytes, in both directions. */
  readonly pairs: readonly (readonly [T, string])[]
  /** Bytes that are refused. */
  readonly refused: readonly string[]
  /** Values that cannot be written. */
  readonly unwritable?: readonly T[]
}

function check<T>(name: string, { kind, pairs, refused, unwritable }: Case<T>): void {
  describe(`${name} values`, () => {
    for (const [value, hex] of pairs) {
      it(`are written as ${hex || 'nothing'} and read back`, () => {
        assert.equal(kind.write(value).toString('hex'), hex)
        assert.deepEqual(kind.read(Buffer.from(hex, 'hex')), value)
      })
    }
    for (const hex of refused) {
      it(`are not read from ${hex.slice(0, 40) || 'nothing'}`, () => {
        assert.throws(() => kind.read(Buffer.from(hex, 'hex')), { name: 'ValueError' })
      })
    }
    for (const value of unwritable ?? []) {
      it(`cannot be written when too large: ${typeof value}`, () => {
        assert.throws(() => kind.write(value), { name: 'ValueError' })
      })
    }
  })
}

const many = (count: number) => Array.from({ length: count }, (_, place) => String(place))
const long = 'x'.repeat(8193)

check('bool', {
  kind: bool,
  pairs: [
    [true, '01'],
    [false, '00'],
  ],
  refused: ['', '0100'],
})
check('byte', {
  kind: u8,
  pairs: [
    [0, '00'],
    [255, 'ff'],
  ],
  refused: ['', '0102'],
  unwritable: [256, -1, 1.5],
})
check('u16', { kind: u16, pairs: [[0x1234, '3412']], refused: ['', '01', '010203'], unwritable: [65_536, -1] })
check('u32', {
  kind: u32,
  pairs: [
    [0, '00000000'],
    [0xffff_ffff, 'ffffffff'],
  ],
  refused: ['', '01', '010203', '0102030405', '0102030405060708'],
  unwritable: [2 ** 32, -1],
})
check('u64', {
  kind: u64,
  pairs: [
    [1n, '0100000000000000'],
    [2n ** 64n - 1n, 'ffffffffffffffff'],
  ],
  refused: ['', '01020304', '010203040506070809'],
  unwritable: [2n ** 64n, -1n],
})
check('index', {
  kind: index,
  pairs: [
    [5, '0500000000000000'],
    [Number.MAX_SAFE_INTEGER, 'ffffffffffff1f00'],
  ],
  refused: ['', '05000000', '0000000000002000'],
  unwritable: [2 ** 53, -1],
})
check('text', {
  kind: text,
  pairs: [
    ['', ''],
    ['ab', '6162'],
    ['\ufffd', 'efbfbd'],
  ],
  refused: ['c328', 'ff'],
})
check('bytes', { kind: bytes, pairs: [[Buffer.from([0, 255]), '00ff']], refused: [] })
check('named byte', {
  kind: precedence,
  pairs: [
    ['low', '00'],
    ['high', '01'],
    [7, '07'],
  ],
  refused: ['', '0000'],
})
check('list', {
  kind: stringList,
  pairs: [
    [[], ''],
    [['ab', 'c'], '02000000' + '020000006162' + '0100000063'],
  ],
  refused: ['0100', '01000000', '0100000005000000', '0100000001000000ff', '81000000', '0100000001200000'],
  unwritable: [many(129), [long]],
})
check('map of number to bytes', {
  kind: u32BytesMap,
  pairs: [
    [new Map(), ''],
    [new Map([[1003, Buffer.from([0xde, 0xad])]]), '01000000' + 'eb030000' + '02000000dead'],
  ],
  refused: ['01000000', '01000000eb030000', '01000000eb03000002000000de', '81000000', 'ffffffff'],
  unwritable: [new Map(many(129).map((key) => [Number(key), Buffer.alloc(0)])), new Map([[1, Buffer.from(long)]])],
})
check('map of text to text', {
  kind: stringMap,
  pairs: [
    [new Map(), ''],
    [new Map([['k', 'val']]), '01000000' + '010000006b' + '0300000076616c'],
  ],
  refused: ['01000000', '01000000010000006b', '81000000', '01000000' + '010000006b' + '01000000ff'],
  unwritable: [new Map(many(129).map((key) => [key, ''])), new Map([[long, '']])],
})
check('capability mask', {
  kind: bigEndianMask,
  pairs: [
    [0n, ''],
    [0x7en, '7e'],
    [0x4000000000000076n, '4000000000000076'],
    [0x102n, '0102'],
  ],
  refused: ['00'.repeat(33)],
  unwritable: [-1n],
})

describe('values', () => {
  it('of lists and maps leave what follows their last entry alone', () => {
    assert.deepEqual(stringList.read(Buffer.from('010000000100000063ffff', 'hex')), ['c'])
  })

  it('that are said by presence are true, whatever stands there', () => {
    assert.deepEqual([presence.read(Buffer.alloc(0)), presence.read(Buffer.from([0, 0]))], [true, true])
  })

  it('that are prose are read even when misspelt', () => {
    assert.equal(prose.read(Buffer.from('61ff', 'hex')), 'a\ufffd')
  })

  it('of masks may have leading zeros', () => {
    assert.equal(bigEndianMask.read(Buffer.from('007e', 'hex')), 0x7en)
  })
})
