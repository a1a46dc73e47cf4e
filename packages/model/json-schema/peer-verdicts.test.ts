/** Schemas and documents made at random, with what the peers' validator said about each. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compileSchema } from './compile-schema.ts'
import { SchemaError } from './schema-error.ts'

interface Verdict {
  schema: unknown
  data?: unknown
  /** `field|message`, or null for a valid document. */
  violation?: string | null
  /** Why the schema itself was refused. */
  refused?: string
}

const verdicts = JSON.parse(
  readFileSync(new URL('../../../testdata/json-schema/peer-verdicts.json', import.meta.url), 'utf8'),
) as Verdict[]

test('judges random documents by random schemas as the peers do, word by word', () => {
  assert.ok(verdicts.length > 400)
  for (const { schema, data, violation, refused } of verdicts) {
    const label = JSON.stringify({ schema, data })
    if (refused !== undefined) {
      assert.throws(
        () => compileSchema(schema),
        (error) => error instanceof SchemaError && error.reason === refused,
        label,
      )
      continue
    }
    const found = compileSchema(schema).validate(data)
    assert.equal(found === undefined ? null : `${found.field}|${found.message}`, violation, label)
  }
})
