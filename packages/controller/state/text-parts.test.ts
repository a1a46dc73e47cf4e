import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TextParts } from './text-parts.ts'

function holding(texts: Readonly<Record<string, string>>): TextParts {
  const parts = new TextParts()
  for (const [id, text] of Object.entries(texts)) parts.add(id, text)
  return parts
}

const asked: readonly [part: string, ids: readonly string[] | undefined][] = [
  ['one', ['a']],
  ['ONE-', ['a']],
  ['straSSe', ['c']],
  ['straße', ['c']],
  ['two', ['b', 'd']],
  ['two-t', ['d']],
  ['nowhere', []],
  ['on', undefined],
  ['', undefined],
]

for (const [part, ids] of asked) {
  test(`"${part}" may be in ${ids === undefined ? 'any' : ids.join(' and ') || 'none'}`, () => {
    const parts = holding({ a: 'One-x', b: 'two', c: 'Straße', d: 'two-three' })
    const found = parts.candidates(part)
    assert.deepEqual(found === undefined ? undefined : [...found].sort(), ids)
  })
}

test('what is deleted is not found', () => {
  const parts = holding({ a: 'gateway', b: 'gatekeeper' })
  parts.delete('a', 'gateway')
  assert.deepEqual([...parts.candidates('gate')!], ['b'])
  parts.delete('b', 'gatekeeper')
  assert.deepEqual([...parts.candidates('gate')!], [])
})

test('what nearly all texts hold is given up, and the rest of a part still tells', () => {
  const parts = new TextParts()
  for (let at = 0; at < 10_000; at++) parts.add(`i${at}`, `identity-${at}`)
  assert.equal(parts.candidates('identity'), undefined)
  assert.ok(parts.candidates('ty-9876')!.has('i9876'))
  assert.ok(parts.candidates('ty-9876')!.size < 100)
})
