import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { capabilityNames, routerCapabilities } from './router-capabilities.ts'

describe('the capabilities of a mask', () => {
  const cases: readonly [mask: string, names: readonly string[]][] = [
    ['0', []],
    ['9', []],
    ['2', ['MULTI_CHANNEL']],
    ['80', ['SERVICE_SUBSCRIPTIONS', 'BIND_SUCCESS']],
    // What a router of 2.1 reports: bit 62 and five that have names, more digits than a number holds.
    ['4611686018427388022', routerCapabilities],
    ['18446744073709551615', routerCapabilities],
  ]
  for (const [mask, names] of cases) {
    test(`${mask} are [${names.join(' ')}]`, () => assert.deepEqual(capabilityNames(mask), names))
  }
})
