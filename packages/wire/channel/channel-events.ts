/** What a channel tells those who watch it. */
import type { Underlay } from './underlay.ts'

/** Why a channel ended. */
export type CloseReason =
  | 'closed here'
  | 'connection lost'
  | 'too few connections'
  | 'peer is silent'
  | 'protocol error'
  | 'displaced'

export interface ChannelClosing {
  readonly reason: CloseReason
  readonly error?: Error
}

/** Sees every frame, for traces and metrics. Must not send. */
export interface ChannelObserver {
  received?(buffer: Buffer, start: number, end: number, underlayType: string): void
  /** The body is apart when it was not copied. Heartbeat headers are in. */
  sent?(head: Buffer, start: number, end: number, body: Buffer | undefined, underlayType: string): void
  /** A heartbeat was answered after so many milliseconds. */
  answered?(roundTrip: number): void
}

export interface UnderlayChange {
  readonly kind: 'added' | 'removed'
  readonly underlay: Underlay
  /** How long it lived, for one that was removed. */
  readonly milliseconds: number
  readonly error?: Error
}

export interface ChannelCounters {
  receivedMessages: number
  receivedBytes: number
  sentMessages: number
  sentBytes: number
  /** Nobody handles their type. */
  unhandledMessages: number
}
