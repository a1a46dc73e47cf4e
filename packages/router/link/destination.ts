/** A router that this one has links with, or wants to: what controllers say of it, and the links that follow from that. */
import type { LinkListener } from '@weft/wire/messages'
import type { LinkDialerConfig } from '../config/link-config.ts'
import { linkKey } from './link-key.ts'
import type { LinkState } from './link-state.ts'

export interface Destination {
  readonly id: string
  version: string
  isHealthy: boolean
  /** Milliseconds since 1970; undefined while it is healthy. */
  unhealthySince: number | undefined
  listeners: readonly LinkListener[]
  /** By key. */
  readonly states: Map<string, LinkState>
}

export interface Match {
  readonly key: string
  readonly listener: LinkListener
  readonly dialer: LinkDialerConfig
}

/** Which links there should be: one for each key that a listener and a dialer of a common group make. */
export function matches({ id, listeners }: Destination, dialers: readonly LinkDialerConfig[]): readonly Match[] {
  const found = new Map<string, Match>()
  for (const listener of listeners) {
    for (const dialer of dialers) {
      if (!dialer.groups.some((group) => listener.groups.includes(group))) continue
      const { protocol, localBinding: listenerBinding } = listener
      const key = linkKey({ dialerBinding: dialer.bindInterface, protocol, routerId: id, listenerBinding })
      // Of several that come to the same, the first counts, every time.
      if (!found.has(key)) found.set(key, { key, listener, dialer })
    }
  }
  return [...found.values()]
}
