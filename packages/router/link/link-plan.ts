/** How the channels of links behave, by what the configuration says. */
import type { DialedChannelOptions } from '@weft/model/config-sections'
import { type ChannelPlan, linkPlan, singlePlan, withOutQueueSize } from '@weft/wire'
import type { LinkConfig } from '../config/link-config.ts'

export interface LinkPlanOptions {
  readonly config: Pick<LinkConfig, 'heartbeats' | 'payloadSenderQueueSize' | 'ackSenderQueueSize'>
  /** Milliseconds; as often as heartbeats when undefined. */
  readonly latencyProbeInterval: number | undefined
}

export function planOfLinks({ config, latencyProbeInterval }: LinkPlanOptions): ChannelPlan {
  const { heartbeats, payloadSenderQueueSize, ackSenderQueueSize } = config
  const { closeUnresponsiveTimeout: closeAfter } = heartbeats
  const sizes: Readonly<Record<string, number>> = { payload: payloadSenderQueueSize, ack: ackSenderQueueSize }
  return {
    ...linkPlan,
    queues: linkPlan.queues.map((queue) => ({ ...queue, messages: sizes[queue.name] ?? queue.messages })),
    heartbeats: {
      sendInterval: latencyProbeInterval ?? heartbeats.sendInterval,
      checkInterval: Math.min(heartbeats.checkInterval, latencyProbeInterval ?? heartbeats.checkInterval),
      closeAfter,
      // Peers that are busy when they connect get as much more time as the Go peer gives them.
      grace: 2 * closeAfter,
    },
  }
}

/** For links of one dialer or listener; those with peers that know no groups are of one connection, of whatever type. */
export function planWithOptions(
  plan: ChannelPlan,
  { writeTimeout = plan.writeTimeout, outQueueSize }: DialedChannelOptions,
  kind: 'grouped' | 'single',
): ChannelPlan {
  if (kind === 'grouped') return { ...plan, writeTimeout }
  return withOutQueueSize({ ...plan, writeTimeout, underlays: singlePlan.underlays }, outQueueSize)
}
