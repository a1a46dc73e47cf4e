import assert from 'node:assert/strict'
import { duplexPair } from 'node:stream'
import { test } from 'node:test'
import { StreamConnection } from '@weft/wire'
import { LinkDoor } from './link-door.ts'

test('connections of one certificate are bounded in number; one that ends makes room', () => {
  const door = new LinkDoor({ debug() {}, info() {}, warn() {}, error() {} })
  const closing: (() => void)[] = []
  const enters = (certificate: string) => {
    const facts = { localAddress: 'tcp:near:1', remoteAddress: 'tcp:far:2', certificates: [Buffer.from(certificate)] }
    const connection = new StreamConnection(duplexPair()[0], facts)
    const isIn = door.enter(connection, (closed) => void closing.push(closed))
    assert.equal(connection.isClosed, !isIn)
    return isIn
  }
  assert.equal(Array.from({ length: 1_000 }, () => enters('one')).filter(Boolean).length, 400)
  assert.equal(enters('other'), true)
  closing[0]!()
  assert.deepEqual([enters('one'), enters('one')], [true, false])
})
