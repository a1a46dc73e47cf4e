import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { compileSchema } from '../json-schema/compile-schema.ts'
import { builtInConfigTypes } from './built-in-config-types.ts'

function testData(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../testdata/json-schema/${name}`, import.meta.url), 'utf8'))
}

function byName(left: { name: string }, right: { name: string }): number {
  return left.name < right.name ? -1 : 1
}

test('are those a stock controller lists', () => {
  assert.deepEqual([...builtInConfigTypes].sort(byName), testData('built-in-config-types.json'))
})

describe('judge configs as a stock controller did:', () => {
  interface Recorded {
    name: string
    configTypeId: string
    data: unknown
    violation?: { field: string; reason: string }
  }
  const schemas = new Map(builtInConfigTypes.map(({ id, schema }) => [id, compileSchema(schema)]))
  for (const { name, configTypeId, data, violation } of testData('recorded-configs.json') as Recorded[]) {
    test(name, () => {
      const found = schemas.get(configTypeId)!.validate(data)
      const reported = found && { field: found.field, reason: `${found.field} is invalid: ${found.message}` }
      assert.deepEqual(reported, violation)
    })
  }
})

describe('host.v1', () => {
  const compiled = compileSchema(builtInConfigTypes.find(({ name }) => name === 'host.v1')!.schema)
  const host = { protocol: 'tcp', address: 'localhost', port: 80 }

  test('tells IPv4 from IPv6 address translations', () => {
    const translated = (from: string, to: string, prefixLength: number) =>
      compiled.validate({ ...host, forwardAddressTranslations: [{ from, to, prefixLength }] })?.message
    assert.equal(translated('10.0.0.0', '192.168.0.0', 24), undefined)
    assert.equal(translated('fd00::', 'fd01::', 64), undefined)
    assert.equal(translated('fd00::', 'fd01::', 24), undefined)
    const mixed = 'forwardAddressTranslations.0: Must validate one and only one schema (oneOf)'
    assert.equal(translated('10.0.0.0', 'fd01::', 24), mixed)
    assert.equal(translated('10.0.0.0', '192.168.0.0', 64), mixed)
  })

  test('takes wildcards, addresses and CIDRs where it says host name', () => {
    const allowedAddresses = ['*.example.com', '10.0.0.0/8', 'fd00::1', 'not a host']
    const forwarding = { protocol: 'tcp', forwardAddress: true, allowedAddresses, port: 80 }
    assert.equal(compiled.validate(forwarding), undefined)
    assert.equal(compiled.validate({ ...host, address: '' })?.message, 'address: Must not validate the schema (not)')
  })

  test('takes thousands of addresses', () => {
    const allowedAddresses = Array.from({ length: 5_000 }, (_, index) => `host-${index}.example.com`)
    assert.equal(compiled.validate({ ...host, forwardAddress: true, allowedAddresses }), undefined)
  })
})
