import type { JsonObject } from '../json-schema/json-value.ts'

const checkTimes: JsonObject = {
  actions: { $ref: '#/definitions/actionList' },
  interval: { $ref: '#/definitions/duration' },
  timeout: { $ref: '#/definitions/duration' },
}

/** Schema definitions of the port and HTTP checks a host runs against what it hosts. */
export const healthCheckDefinitions: JsonObject = {
  action: {
    type: 'object',
    additionalProperties: false,
    required: ['trigger', 'action'],
    properties: {
      action: {
        type: 'string',
        pattern: '(mark (un)?healthy|increase cost [0-9]+|decrease cost [0-9]+|send event)',
      },
      consecutiveEvents: { type: 'integer', minimum: 0, maximum: 65_535 },
      duration: { $ref: '#/definitions/duration' },
      trigger: { type: 'string', enum: ['fail', 'pass', 'change'] },
    },
  },
  actionList: { type: 'array', items: { $ref: '#/definitions/action' }, minItems: 1, maxItems: 20 },
  duration: { type: 'string', pattern: '[0-9]+(h|m|s|ms)' },
  httpCheck: {
    type: 'object',
    additionalProperties: false,
    required: ['interval', 'timeout', 'url'],
    properties: {
      ...checkTimes,
      body: { type: 'string' },
      expectInBody: { type: 'string' },
      expectStatus: { type: 'integer', minimum: 100, maximum: 599 },
      method: { $ref: '#/definitions/method' },
      url: { type: 'string' },
    },
  },
  httpCheckList: { type: 'array', items: { $ref: '#/definitions/httpCheck' } },
  method: { type: 'string', enum: ['GET', 'POST', 'PUT', 'PATCH'] },
  portCheck: {
    type: 'object',
    additionalProperties: false,
    required: ['interval', 'timeout', 'address'],
    properties: { ...checkTimes, address: { type: 'string' } },
  },
  portCheckList: { type: 'array', items: { $ref: '#/definitions/portCheck' } },
}
