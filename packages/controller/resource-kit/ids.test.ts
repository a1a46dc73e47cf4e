import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cuid, newId, shortId, uuidInBase62 } from './ids.ts'

const vectors: readonly [uuid: string, id: string][] = [
  ['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '1v9QveIkexdlq0AG5IO7Cz'],
  ['00000000-0000-0000-0000-000000000001', '1'],
  ['00000000-0000-0000-0000-00000000003d', 'z'],
  ['00000000-0000-0000-0000-00000000003e', '10'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', '7n42DGM5Tflk9n8mt7Fhc7'],
]

for (const [uuid, id] of vectors) {
  test(`${uuid} is ${id}`, () => assert.equal(uuidInBase62(uuid), id))
}

test('ids have the forms of their kinds and never repeat', () => {
  // A UUID in base 62 has no leading zeros: most have 22 characters, any may have fewer.
  const forms = {
    short: /^[0-9a-zA-Z][0-9a-zA-Z.-]{9}$/,
    uuid: /^[0-9A-Za-z]{1,22}$/,
    cuid: /^c[0-9a-z]{24}$/,
  } as const
  for (const [kind, form] of Object.entries(forms) as [keyof typeof forms, RegExp][]) {
    const ids = Array.from({ length: 2_000 }, () => newId(kind))
    for (const id of ids) assert.match(id, form)
    assert.equal(new Set(ids).size, ids.length, kind)
  }
})

test('short ids use the whole alphabet', () => {
  const seen = new Set(Array.from({ length: 500 }, () => shortId()).join(''))
  assert.equal(seen.size, 64)
})

test('cuids made later sort later', async () => {
  const early = cuid()
  await new Promise((resolve) => setTimeout(resolve, 3))
  assert.ok(early.slice(0, 9) < cuid().slice(0, 9))
})
