import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Headers } from '../frame/headers.ts'
import { defineMessage } from '../protobuf/message-type.ts'
import { text as string, uint32 } from '../protobuf/scalars.ts'
import { defineCatalogue } from './catalogue.ts'
import { type Decoded, type Encodable, headersBetween, optional, required } from './definition.ts'
import { bytes, text, u8, u32 } from './value-kinds.ts'

const order = defineMessage('Order', { dish: [1, string], table: [2, uint32] })

const kitchen = defineCatalogue('kitchen', {
  order: {
    type: 100,
    from: 'guest',
    headers: { guest: required(1, u32), wish: optional(2, text), extras: headersBetween(10, 19, 10) },
    body: order,
    replies: ['served', 'refused'],
  },
  served: { type: 101, from: 'cook', headers: { plates: optional(2, u8) }, body: bytes },
  refused: { type: 102, from: 'cook', body: text },
  bell: { type: 103, from: 'either' },
})

type Table = typeof kitchen.messages

const placed: Encodable<Table, 'order'> = { guest: 7, body: { dish: 'soup' } }

function received(contentType: number, headers: readonly (readonly [number, string])[], body = '') {
  return {
    contentType,
    headers: new Headers(headers.map(([key, hex]) => [key, Buffer.from(hex, 'hex')])),
    body: Buffer.from(body, 'hex'),
  }
}

describe('a catalogue', () => {
  it('writes a message and reads it back', () => {
    const message = kitchen.encode('order', { ...placed, wish: 'hot', extras: new Map([[3, Buffer.from('salt')]]) })
    assert.deepEqual(
      [...message.headers].map(([key, value]) => [key, value.toString('hex')]),
      [
        [1, '07000000'],
        [2, '686f74'],
        [13, '73616c74'],
      ],
    )
    assert.equal(message.contentType, 100)
    assert.equal(message.body.toString('hex'), '0a04736f7570')
    const read = kitchen.decode(message, 'guest')
    assert.equal(read.name, 'order')
    const expected: Decoded<Table, 'order'> = {
      guest: 7,
      wish: 'hot',
      extras: new Map([[3, Buffer.from('salt')]]),
      body: { dish: 'soup', table: 0 },
    }
    assert.deepEqual(read.message, expected)
  })

  it('reads absent optional headers as undefined', () => {
    const { wish, extras } = kitchen.decodeAs('order', received(100, [[1, '07000000']]))
    assert.deepEqual([wish, extras.size], [undefined, 0])
  })

  it('ignores headers that it does not know, and bodies of messages without one', () => {
    assert.deepEqual(kitchen.decodeAs('bell', received(103, [[99, 'ff']], 'abcd')), {})
  })

  it('names messages for logs, and the type that a channel listens for', () => {
    assert.deepEqual([kitchen.nameOf(101), kitchen.nameOf(999), kitchen.typeOf('bell')], ['served', undefined, 103])
  })

  it('reads replies of a request, and only these', () => {
    const reply = kitchen.decodeReply('order', received(102, [], '6e6f'))
    assert.equal(reply.name === 'refused' && reply.message.body, 'no')
    assert.throws(() => kitchen.decodeReply('order', received(103, [])), { code: 'WRONG_REPLY' })
    assert.throws(() => kitchen.decodeReply('bell', received(102, [])), { code: 'WRONG_REPLY' })
  })

  it('reads the headers of a hello without its body', () => {
    const { headers } = kitchen.encode('order', placed)
    assert.equal(kitchen.decodeHeaders('order', headers).guest, 7)
  })

  const refusals: [string, string, () => unknown][] = [
    ['a message of an unknown type', 'UNKNOWN_MESSAGE', () => kitchen.decode(received(999, []), 'guest')],
    ['another message than was expected', 'UNKNOWN_MESSAGE', () => kitchen.decodeAs('bell', received(101, []))],
    ['a message from the wrong side', 'WRONG_SIDE', () => kitchen.decode(received(101, []), 'guest')],
    ['a message without a required header', 'MISSING_HEADER', () => kitchen.decode(received(100, []), 'guest')],
    ['a header of the wrong length', 'BAD_HEADER', () => kitchen.decode(received(100, [[1, '0700']]), 'guest')],
    ['a longer one too', 'BAD_HEADER', () => kitchen.decode(received(100, [[1, '0700000000']]), 'guest')],
    ['an empty one too', 'BAD_HEADER', () => kitchen.decode(received(100, [[1, '']]), 'guest')],
    [
      'a body that is no such message',
      'BAD_BODY',
      () => kitchen.decode(received(100, [[1, '07000000']], '0aff'), 'guest'),
    ],
    ['a text body that is not UTF-8', 'BAD_BODY', () => kitchen.decode(received(102, [], 'ff'), 'cook')],
    ['to write a number that does not fit', 'BAD_VALUE', () => kitchen.encode('order', { ...placed, guest: -1 })],
    [
      'to write a body that does not fit',
      'BAD_VALUE',
      () => kitchen.encode('order', { ...placed, body: { table: -1 } }),
    ],
    [
      'to write past the end of a range',
      'BAD_VALUE',
      () => kitchen.encode('order', { ...placed, extras: new Map([[10, Buffer.alloc(0)]]) }),
    ],
  ]
  for (const [what, code, action] of refusals) {
    it(`refuses ${what}`, () => assert.throws(action, { name: 'MessageError', code }))
  }

  it('does not let a range write a header that has another meaning', () => {
    const open = defineCatalogue('open', {
      any: { type: 1, from: 'either', headers: { id: required(1101, u32), peerData: headersBetween(1000, 1999) } },
    })
    const peerData = new Map([[1101, Buffer.alloc(4)]])
    assert.throws(() => open.encode('any', { id: 1, peerData }), { code: 'BAD_VALUE' })
    const { headers } = open.encode('any', { id: 1, peerData: new Map([[1003, Buffer.alloc(2)]]) })
    assert.deepEqual([...open.decodeHeaders('any', headers).peerData.keys()], [1003])
  })

  it('fails at load when two messages, or two headers of one, have the same number', () => {
    assert.throws(
      () => defineCatalogue('twice', { a: { type: 1, from: 'either' }, b: { type: 1, from: 'either' } }),
      /twice: a and b are both of type 1/,
    )
    const headers = { a: optional(1, u8), b: optional(1, u32) }
    assert.throws(() => defineCatalogue('twice', { a: { type: 1, from: 'either', headers } }), /two headers/)
  })

  it('is known to the type checker', () => {
    // @ts-expect-error: a reply that is not in the table
    defineCatalogue('wrong', { a: { type: 1, from: 'either', replies: ['b'] } })
    // @ts-expect-error: no such side
    assert.throws(() => kitchen.decode(received(101, []), 'waiter'), { code: 'WRONG_SIDE' })
    // @ts-expect-error: the header is required
    assert.throws(() => kitchen.encode('order', { body: {} }), { code: 'MISSING_HEADER' })
    // @ts-expect-error: the fields are required
    assert.throws(() => kitchen.encode('order'), { code: 'MISSING_HEADER' })
    assert.equal(kitchen.encode('bell').contentType, 103)
  })
})
