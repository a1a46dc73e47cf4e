import { addressDefinitions } from './address-definitions.ts'
import type { BuiltInConfigType } from './config-type.ts'
import { healthCheckDefinitions } from './health-check-definitions.ts'
import { terminatorSchema } from './terminator-schema.ts'

/** Where a service is hosted: one terminator. */
export const hostV1: BuiltInConfigType = {
  id: 'NH5p4FpGR',
  name: 'host.v1',
  target: 'service',
  schema: {
    $id: 'http://ziti-edge.netfoundry.io/schemas/host.v1.schema.json',
    definitions: { ...addressDefinitions, ...healthCheckDefinitions },
    ...terminatorSchema,
  },
}
