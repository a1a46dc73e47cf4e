import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { answeredPeerData, peerDataLimits, peerText, readPeerData, storePeerData } from './peer-data.ts'

const bytes = (text: string) => Buffer.from(text)

describe('peer data', () => {
  test('later parts lie over earlier ones', () => {
    const merged = answeredPeerData(new Map([[1003, bytes('static')]]), new Map([[1003, bytes('answered')]]))
    assert.equal(peerText(merged, 1003), 'answered')
    assert.equal(peerText(merged, 1011), '')
  })

  test('headers of messages and addresses for events are kept back', () => {
    const keys = [1, 5, 6, 999, 1000, 1100, 1101, 1102, 1103, 1104, 1105, 1110, 1111, 1112, 1113, 1114]
    const merged = answeredPeerData(new Map(keys.map((key) => [key, bytes('x')])))
    assert.deepEqual([...merged.keys()], [1000, 1100, 1105, 1114])
  })

  test('no more than fits into a header', () => {
    const many = new Map(Array.from({ length: 200 }, (_, at) => [2000 + at, bytes('x')] as const))
    assert.equal(answeredPeerData(many).size, peerDataLimits.entries)
    const large = new Map([[2000, Buffer.alloc(peerDataLimits.valueBytes + 1)]])
    assert.equal(answeredPeerData(large).size, 0)
  })

  test('is kept in rows', () => {
    const data = new Map([[1003, Buffer.from([0, 255, 7])]])
    assert.deepEqual(readPeerData(storePeerData(data)), data)
    assert.equal(readPeerData(undefined).size, 0)
  })
})
