import { addressDefinitions } from './address-definitions.ts'
import type { BuiltInConfigType } from './config-type.ts'
import { healthCheckDefinitions } from './health-check-definitions.ts'
import { terminatorSchema } from './terminator-schema.ts'

/** Where a service is hosted: several terminators. */
export const hostV2: BuiltInConfigType = {
  id: 'host.v2',
  name: 'host.v2',
  target: 'service',
  schema: {
    $id: 'http://ziti-edge.netfoundry.io/schemas/host.v2.schema.json',
    type: 'object',
    additionalProperties: false,
    required: ['terminators'],
    properties: { terminators: { $ref: '#/definitions/terminatorList' } },
    definitions: {
      ...addressDefinitions,
      ...healthCheckDefinitions,
      terminator: terminatorSchema,
      terminatorList: { type: 'array', items: { $ref: '#/definitions/terminator' }, minItems: 1 },
    },
  },
}
