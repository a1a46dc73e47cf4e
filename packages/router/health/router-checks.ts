/** What a router asks itself: whether a controller answers, and whether links are there. */
import { type HealthCheckSpec, UnhealthyError } from './health-check.ts'

/** A controller that the router has, or had, a channel with. */
export interface ControllerReadings {
  readonly isConnected: boolean
  /** Whether it answers slowly, or not at all any more. */
  readonly isUnresponsive: boolean
}

/** A link, as monitors are told of it. */
export interface LinkReadings {
  readonly linkId: string
  readonly destRouterId: string
  /** The mean of lately, in nanoseconds. */
  readonly latency: number
  /** The ends of its connections, by the type of connection. */
  readonly addresses: Readonly<Record<string, { readonly localAddr: string; readonly remoteAddr: string }>>
}

export interface RouterReadings {
  controllers(): Iterable<ControllerReadings>
  links(): Iterable<LinkReadings>
}

/** As in the `healthChecks` section of the configuration. */
export interface RouterCheckOptions {
  readonly ctrlPingCheck: { readonly interval: number; readonly timeout: number; readonly initialDelay: number }
  readonly linkCheck: { readonly interval: number; readonly initialDelay: number; readonly minLinks: number }
}

const linkCheckTimeout = 5_000

export function routerChecks(readings: RouterReadings, options: RouterCheckOptions): readonly HealthCheckSpec[] {
  const { ctrlPingCheck, linkCheck } = options
  return [
    {
      id: 'controllerPing',
      ...ctrlPingCheck,
      passesAtFirst: false,
      ask() {
        const connected = [...readings.controllers()].filter(({ isConnected }) => isConnected)
        if (connected.length === 0) throw new Error('no control channels established yet')
        if (connected.every(({ isUnresponsive }) => isUnresponsive)) throw new Error('control channels are slow')
      },
    },
    {
      id: 'link.health',
      interval: linkCheck.interval,
      initialDelay: linkCheck.initialDelay,
      timeout: linkCheckTimeout,
      passesAtFirst: linkCheck.minLinks === 0,
      ask() {
        const links = [...readings.links()]
        const details = links.length === 0 ? null : links
        if (links.length >= linkCheck.minLinks) return details
        const message = `link count ${links.length} less than configured minimum of ${linkCheck.minLinks}`
        throw new UnhealthyError(message, details)
      },
    },
  ]
}
