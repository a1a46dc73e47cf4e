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

/**
 * The options that every channel has. Where the peers check them, what is out of bounds is refused; where they do not,
 * the bound is used, so that every file that they start with starts here. There a connection may also be refused before
 * its hello when no other may wait.
 */
export function channelOptionKeys({ isChecked }: { readonly isChecked: boolean }) {
  const outside = isChecked ? {} : ({ belowMin: 'min', aboveMax: 'max' } as const)
  return {
    outQueueSize: withDefault(
      integer({ min: 0, max: 1_000_000 }),
      4,
      'Messages that may wait to be sent on a channel.',
    ),
    maxQueuedConnects: withDefault(
      integer({ min: isChecked ? 1 : 0, max: 5_000, ...outside }),
      1,
      'Connections that may wait for their hello.',
    ),
    maxOutstandingConnects: withDefault(
      integer({ min: 1, max: 1_000, ...outside }),
      16,
      'Hellos that may be under way at once.',
    ),
    connectTimeout: optional(duration({ min: 30, max: minute, ...outside }), 'How long a hello may take.'),
    connectTimeoutMs: withDefault(
      wholeUnits(1, 'milliseconds', { min: 30, max: minute, ...outside }),
      5 * second,
      'The former spelling of `connectTimeout`, which wins.',
    ),
    writeTimeout: optional(duration(), 'How long one write may take before the channel closes; none is unlimited.'),
  }
}

/** The options of what only dials. */
export function dialOptionKeys(rules: { readonly isChecked: boolean }) {
  const { maxQueuedConnects, maxOutstandingConnects, ...own } = channelOptionKeys(rules)
  return own
}

/** The other options of channels, in a section of what only dials. */
export const acceptOnlyOptions = {
  maxQueuedConnects: 'only a listener lets connections wait',
  maxOutstandingConnects: 'only a listener has others say hello',
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

/** How a channel behaves that is dialled. */
export interface DialedChannelOptions {
  readonly outQueueSize: number
  /** Milliseconds; likewise `writeTimeout`, of which none is unlimited. */
  readonly connectTimeout: number
  readonly writeTimeout: number | undefined
}

/** How a channel behaves that is accepted. */
export interface ChannelOptions extends DialedChannelOptions {
  readonly maxQueuedConnects: number
  readonly maxOutstandingConnects: number
}

/** More often would leave the process little time for anything else. */
const seldomEnough = { min: 10, belowMin: 'min' } as const

/** Heartbeats of a channel. */
export const heartbeatKeys = {
  sendInterval: withDefault(duration(seldomEnough), 10 * second, 'How often a heartbeat is due.'),
  checkInterval: withDefault(duration(seldomEnough), second, 'How often it is checked whether one is due.'),
  closeUnresponsiveTimeout: withDefault(
    duration(),
    30 * second,
    'How long without an answer until the channel closes.',
  ),
}

/** When heartbeats are sent, and when silence ends a channel, in milliseconds. */
export type Heartbeats = ValueOf<typeof heartbeatKeys>
