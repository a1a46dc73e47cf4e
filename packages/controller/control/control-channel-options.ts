/** How channels with routers behave: `ctrl.options` of the configuration and what follows from it. */
import {
  type ChannelAcceptorOptions,
  type ChannelPlan,
  type ConnectOptions,
  controlPlan,
  type HandshakeWindowOptions,
  maxHellosOf,
  withOutQueueSize,
} from '@weft/wire'

/** Times are milliseconds. */
export interface ControlChannelOptions extends ConnectOptions {
  /** Messages that may wait in each queue of a channel. */
  readonly outQueueSize: number
  /** For the TLS handshake, at a port that routers have to themselves. */
  readonly handshakeTimeout: number
  readonly handshakeWindow?: HandshakeWindowOptions | undefined
  /** For a hello and its judgement. */
  readonly connectTimeout: number
  /** For which a connection may take nothing; undefined leaves it as it is. */
  readonly writeTimeout: number | undefined
  readonly routerHeartbeats: {
    readonly sendInterval: number
    readonly checkInterval: number
    readonly closeUnresponsiveTimeout: number
  }
}

/** Of heartbeats, whatever the file says. */
const SHORTEST_INTERVAL = 100
/** At the start a router may be silent for so many times longer. */
const GRACE_FACTOR = 2

export function controlChannelPlan(options: ControlChannelOptions | undefined): ChannelPlan {
  if (options === undefined) return controlPlan
  const atLeast = (milliseconds: number) => Math.max(SHORTEST_INTERVAL, milliseconds)
  const { sendInterval, checkInterval, closeUnresponsiveTimeout } = options.routerHeartbeats
  const { writeTimeout = controlPlan.writeTimeout } = options
  const closeAfter = atLeast(closeUnresponsiveTimeout)
  const heartbeats = {
    sendInterval: atLeast(sendInterval),
    checkInterval: atLeast(checkInterval),
    closeAfter,
    grace: GRACE_FACTOR * closeAfter,
  }
  return { ...withOutQueueSize(controlPlan, options.outQueueSize), writeTimeout, heartbeats }
}

/** What bounds routers that have not been let in yet. */
export function helloBounds(
  options: ControlChannelOptions | undefined,
): Pick<ChannelAcceptorOptions, 'helloTimeout' | 'maxHellos'> {
  if (options === undefined) return {}
  const maxHellos = maxHellosOf(options)
  return { helloTimeout: options.connectTimeout, ...(maxHellos !== undefined && { maxHellos }) }
}
