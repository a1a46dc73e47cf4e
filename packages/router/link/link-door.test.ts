import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryPair } from '../../wire/testing/memory-pair.ts'
import { LinkDoor } from './link-door.ts'

test('connections of one certificate are bounded in number; one that ends makes room', () => {
  const door = new LinkDoor({ debug() {}, info() {}, warn() {}, error() {} })
  const closing: (() => void)[] = []
  const enters = (certificate: string) => {
    const { near } = memoryPair(certificate)
    const isIn = door.enter(near, (closed) => void closing.push(closed))
    assert.equal(near.isClosed, !isIn)
    return isIn
  }
  assert.equal(Array.from({ length: 1_000 }, () => enters('one')).filter(Boolean).length, 400)
  assert.equal(enters('other'), true)
  closing[0]!()
  assert.deepEqual([enters('one'), enters('one')], [true, false])
})
