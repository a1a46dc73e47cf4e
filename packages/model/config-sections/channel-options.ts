/**
 * How channels behave: the options of everything that dials or accepts them, and their heartbeats.
 */
import {
  duration,
  integer,
  minute,
  optional,
  second,
  type ValueOf,
  wholeUnits,
  withDefault,
} from '../config-file/index.ts'

/** The options that every channel has. A connection may be refused before its hello only where one may wait at all. */
export function channelOptionKeys({ fewestQueuedConnects }: { readonly fewestQueuedConnects: 0 | 1 }) {
  return {
    outQueueSize: withDefault(
      integer({ min: 0, max: 1_000_000 }),
      4,
      'Messages that may wait to be sent on a channel.',
    ),
    maxQueuedConnects: withDefault(
      integer({ min: fewestQueuedConnects, max: 5_000 }),
      1,
      'Connections that may wait for their hello.',
    ),
    maxOutstandingConnects: withDefault(integer({ min: 1, max: 1_000 }), 16, 'Hellos that may be under way at once.'),
    connectTimeout: optional(duration({ min: 30, max: minute }), 'How long a hello may take.'),
    connectTimeoutMs: withDefault(
      wholeUnits(1, 'milliseconds', { min: 30, max: minute }),
      5 * second,
      'The former spelling of `connectTimeout`, which wins.',
    ),
    writeTimeout: optional(duration(), 'How long one write may take before the channel closes; none is unlimited.'),
  }
}

interface ConnectTimes {
  readonly connectTimeout: number | undefined
  readonly connectTimeoutMs: number
}

/** Options with the one time limit that its two spellings come to. */
export function assembleChannelOptions<O extends ConnectTimes>(options: O) {
  const { connectTimeout, connectTimeoutMs, ...others } = options
  return { ...others, connectTimeout: connectTimeout ?? connectTimeoutMs }
}

/** How a channel behaves. */
export interface ChannelOptions {
  readonly outQueueSize: number
  readonly maxQueuedConnects: number
  readonly maxOutstandingConnects: number
  /** Milliseconds; likewise `writeTimeout`, of which none is unlimited. */
  readonly connectTimeout: number
  readonly writeTimeout: number | undefined
}

/** Heartbeats of a channel. */
export const heartbeatKeys = {
  sendInterval: withDefault(duration(), 10 * second, 'How often a heartbeat is due.'),
  checkInterval: withDefault(duration(), second, 'How often it is checked whether one is due.'),
  closeUnresponsiveTimeout: withDefault(
    duration(),
    30 * second,
    'How long without an answer until the channel closes.',
  ),
}

/** When heartbeats are sent, and when silence ends a channel, in milliseconds. */
export type Heartbeats = ValueOf<typeof heartbeatKeys>
