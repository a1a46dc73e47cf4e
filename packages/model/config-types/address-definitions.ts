import type { JsonObject } from '../json-schema/json-value.ts'

/** An address as a tunneler takes it: a host name, a wildcard, an IP address or a CIDR; the format is only a remark. */
const address: JsonObject = { type: 'string', format: 'idn-hostname', not: { pattern: '^$' } }

function translation(format: 'ipv4' | 'ipv6', bits: number): JsonObject {
  return {
    type: 'object',
    additionalProperties: false,
    properties: {
      from: { type: 'string', format },
      prefixLength: { type: 'integer', minimum: 0, maximum: bits },
      to: { type: 'string', format },
    },
  }
}

/** Schema definitions of addresses, ports and protocols, shared by what intercepts and what hosts. */
export const addressDefinitions: JsonObject = {
  addressTranslation: {
    oneOf: [{ $ref: '#/definitions/ipv4AddressTranslation' }, { $ref: '#/definitions/ipv6AddressTranslation' }],
  },
  dialAddress: address,
  inhabitedSet: { type: 'array', minItems: 1, uniqueItems: true },
  ipv4AddressTranslation: translation('ipv4', 32),
  ipv6AddressTranslation: translation('ipv6', 128),
  listenAddress: address,
  portNumber: { type: 'integer', minimum: 0, maximum: 65_535 },
  portRange: {
    type: 'object',
    additionalProperties: false,
    required: ['low', 'high'],
    properties: { high: { $ref: '#/definitions/portNumber' }, low: { $ref: '#/definitions/portNumber' } },
  },
  protocolName: { type: 'string', enum: ['tcp', 'udp'] },
  proxyConfiguration: {
    type: 'object',
    required: ['type', 'address'],
    properties: { address: { type: 'string' }, type: { $ref: '#/definitions/proxyType' } },
  },
  proxyType: { type: 'string', enum: ['http'] },
  timeoutSeconds: { type: 'integer', minimum: 0, maximum: 2_147_483_647 },
}

/** A list with at least one item and no duplicates, of one of the definitions. */
export function inhabitedSetOf(definition: string): JsonObject {
  return { allOf: [{ $ref: '#/definitions/inhabitedSet' }, { items: { $ref: `#/definitions/${definition}` } }] }
}
