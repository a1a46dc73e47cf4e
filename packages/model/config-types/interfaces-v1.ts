import type { BuiltInConfigType } from './config-type.ts'
import { healthCheckDefinitions } from './health-check-definitions.ts'

/** The network interfaces a service is bound to. Its schema carries the health check definitions unused, as the peers' does. */
export const interfacesV1: BuiltInConfigType = {
  id: 'interfaces.v1',
  name: 'interfaces.v1',
  target: 'service',
  schema: {
    $id: 'https://netfoundry.io/schemas/interfaces.v1.config.json',
    type: 'object',
    additionalProperties: false,
    required: ['interfaces'],
    properties: { interfaces: { type: 'array', items: { type: 'string' } } },
    definitions: healthCheckDefinitions,
  },
}
