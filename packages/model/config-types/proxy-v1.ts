import type { BuiltInConfigType } from './config-type.ts'

/** A local port that is carried to a service. */
export const proxyV1: BuiltInConfigType = {
  id: 'proxy.v1',
  name: 'proxy.v1',
  target: 'service',
  schema: {
    $id: 'https://netfoundry.io/schemas/proxy.v1.config.json',
    type: 'object',
    additionalProperties: false,
    required: ['port', 'protocols'],
    properties: {
      binding: { type: 'string' },
      port: { type: 'number', minimum: 1, maximum: 65_535 },
      protocols: { type: 'array', items: { $ref: '#/definitions/protocol' }, minItems: 1 },
    },
    definitions: { protocol: { type: 'string', enum: ['tcp', 'udp'] } },
  },
}
