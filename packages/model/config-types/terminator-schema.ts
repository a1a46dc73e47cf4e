/**
 * How a host reaches what it hosts: the whole of `host.v1`, and each terminator of `host.v2`.
 *
 * Protocol, address and port are each either fixed, or forwarded from the dialing side within an allowed list; the three
 * conditions say so. `forwardX: false` is refused: leaving the member out says the same.
 */
import type { JsonObject } from '../json-schema/json-value.ts'
import { inhabitedSetOf } from './address-definitions.ts'

function fixedOrForwarded(fixed: string, forward: string, allowed: string): JsonObject {
  return {
    if: { properties: { [forward]: { const: true } }, required: [forward] },
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { required: [allowed] },
    else: { required: [fixed] },
  }
}

const onlyTrue: JsonObject = { type: 'boolean', enum: [true] }

/** The members and conditions of a terminator; it needs the address and the health check definitions beside it. */
export const terminatorSchema: JsonObject = {
  type: 'object',
  additionalProperties: false,
  allOf: [
    fixedOrForwarded('protocol', 'forwardProtocol', 'allowedProtocols'),
    fixedOrForwarded('address', 'forwardAddress', 'allowedAddresses'),
    fixedOrForwarded('port', 'forwardPort', 'allowedPortRanges'),
  ],
  properties: {
    address: { $ref: '#/definitions/dialAddress' },
    allowedAddresses: inhabitedSetOf('listenAddress'),
    allowedPortRanges: inhabitedSetOf('portRange'),
    allowedProtocols: inhabitedSetOf('protocolName'),
    allowedSourceAddresses: inhabitedSetOf('listenAddress'),
    forwardAddress: onlyTrue,
    forwardAddressTranslations: inhabitedSetOf('addressTranslation'),
    forwardPort: onlyTrue,
    forwardProtocol: onlyTrue,
    httpChecks: { $ref: '#/definitions/httpCheckList' },
    listenOptions: {
      type: 'object',
      additionalProperties: false,
      properties: {
        bindUsingEdgeIdentity: { type: 'boolean' },
        connectTimeout: { $ref: '#/definitions/duration' },
        connectTimeoutSeconds: { $ref: '#/definitions/timeoutSeconds', deprecated: true },
        cost: { type: 'integer', minimum: 0, maximum: 65_535 },
        identity: { type: 'string' },
        maxConnections: { type: 'integer', minimum: 1 },
        precedence: { type: 'string', enum: ['default', 'required', 'failed'] },
      },
    },
    port: { $ref: '#/definitions/portNumber' },
    portChecks: { $ref: '#/definitions/portCheckList' },
    protocol: { $ref: '#/definitions/protocolName' },
    proxy: { $ref: '#/definitions/proxyConfiguration' },
  },
}
