import { addressDefinitions, inhabitedSetOf } from './address-definitions.ts'
import type { BuiltInConfigType } from './config-type.ts'

/** What a tunneler intercepts for a service. */
export const interceptV1: BuiltInConfigType = {
  id: 'g7cIWbcGg',
  name: 'intercept.v1',
  target: 'service',
  schema: {
    $id: 'http://edge.openziti.org/schemas/intercept.v1.config.json',
    type: 'object',
    additionalProperties: false,
    required: ['protocols', 'addresses', 'portRanges'],
    properties: {
      addresses: inhabitedSetOf('listenAddress'),
      allowedSourceAddresses: inhabitedSetOf('listenAddress'),
      dialOptions: {
        type: 'object',
        additionalProperties: false,
        properties: {
          connectTimeoutSeconds: { $ref: '#/definitions/timeoutSeconds' },
          identity: { type: 'string' },
        },
      },
      portRanges: inhabitedSetOf('portRange'),
      protocols: inhabitedSetOf('protocolName'),
      sourceIp: { type: 'string' },
    },
    definitions: addressDefinitions,
  },
}
