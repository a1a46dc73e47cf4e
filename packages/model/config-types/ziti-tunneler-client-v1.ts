import type { BuiltInConfigType } from './config-type.ts'

/** The oldest form of an intercept: one host name, one port. */
export const zitiTunnelerClientV1: BuiltInConfigType = {
  id: 'f2dd2df0-9c04-4b84-a91e-71437ac229f1',
  name: 'ziti-tunneler-client.v1',
  target: 'service',
  schema: {
    $id: 'http://edge.openziti.org/schemas/ziti-tunneler-client.v1.config.json',
    type: 'object',
    additionalProperties: false,
    required: ['hostname', 'port'],
    properties: { hostname: { type: 'string' }, port: { type: 'integer', minimum: 0, maximum: 65_535 } },
  },
}
