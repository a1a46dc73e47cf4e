import type { JsonObject } from '../json-schema/json-value.ts'
import type { BuiltInConfigType } from './config-type.ts'

const duration: JsonObject = { $ref: '#/definitions/duration' }
const binding: JsonObject = { type: 'string', minLength: 1, default: 'transport' }

const definitions: JsonObject = {
  backoff: {
    type: 'object',
    additionalProperties: false,
    properties: {
      maxRetryInterval: duration,
      minRetryInterval: duration,
      retryBackoffFactor: { type: 'number', minimum: 1, maximum: 100 },
    },
  },
  channelOptions: {
    type: 'object',
    additionalProperties: false,
    properties: {
      connectTimeout: duration,
      maxOutstandingConnects: { type: 'integer', minimum: 1, maximum: 1_000 },
      maxQueuedConnects: { type: 'integer', minimum: 0, maximum: 5_000 },
      outQueueSize: { type: 'integer', minimum: 0 },
      writeTimeout: duration,
    },
  },
  dialer: {
    type: 'object',
    additionalProperties: false,
    properties: {
      bindInterface: { type: 'string' },
      binding,
      groups: { $ref: '#/definitions/groups' },
      healthyDialBackoff: { $ref: '#/definitions/backoff' },
      maxAckConnections: { type: 'integer', minimum: 0, maximum: 100 },
      maxDefaultConnections: { type: 'integer', minimum: 1, maximum: 100 },
      options: { $ref: '#/definitions/channelOptions' },
      startupDelay: duration,
      unhealthyDialBackoff: { $ref: '#/definitions/backoff' },
    },
  },
  duration: { type: 'string', pattern: '^([0-9]+(\\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$' },
  groups: { oneOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  heartbeats: {
    type: 'object',
    additionalProperties: false,
    properties: { checkInterval: duration, closeUnresponsiveTimeout: duration, sendInterval: duration },
  },
  listener: {
    type: 'object',
    additionalProperties: false,
    required: ['bind'],
    properties: {
      advertise: { type: 'string' },
      bind: { type: 'string', minLength: 1 },
      bindInterface: { type: 'string' },
      binding,
      groups: { $ref: '#/definitions/groups' },
      options: { $ref: '#/definitions/channelOptions' },
    },
  },
}

/** How a router listens for links and dials them. */
export const routerLinkV1: BuiltInConfigType = {
  id: 'router.link.v1',
  name: 'router.link.v1',
  target: 'router',
  schema: {
    $id: 'https://netfoundry.io/schemas/router.link.v1.config.json',
    type: 'object',
    additionalProperties: false,
    properties: {
      ackSenderQueueSize: { type: 'integer', minimum: 1 },
      dialers: { type: 'array', items: { $ref: '#/definitions/dialer' } },
      gcMode: { type: 'string', enum: ['preserve', 'orphaned', 'changed'], default: 'preserve' },
      heartbeats: { $ref: '#/definitions/heartbeats' },
      listeners: { type: 'array', items: { $ref: '#/definitions/listener' } },
      payloadSenderQueueSize: { type: 'integer', minimum: 1 },
    },
    definitions,
  },
}
