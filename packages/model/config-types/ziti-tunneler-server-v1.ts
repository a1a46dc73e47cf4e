import type { BuiltInConfigType } from './config-type.ts'
import { healthCheckDefinitions } from './health-check-definitions.ts'

/** The oldest form of hosting: one address, one port, with health checks. */
export const zitiTunnelerServerV1: BuiltInConfigType = {
  id: 'cea49285-6c07-42cf-9f52-09a9b115c783',
  name: 'ziti-tunneler-server.v1',
  target: 'service',
  schema: {
    $id: 'http://edge.openziti.org/schemas/ziti-tunneler-server.v1.config.json',
    type: 'object',
    additionalProperties: false,
    required: ['hostname', 'port'],
    properties: {
      hostname: { type: 'string' },
      httpChecks: { $ref: '#/definitions/httpCheckList' },
      port: { type: 'integer', minimum: 0, maximum: 65_535 },
      portChecks: { $ref: '#/definitions/portCheckList' },
      protocol: { type: ['string', 'null'], enum: ['tcp', 'udp'] },
    },
    definitions: healthCheckDefinitions,
  },
}
