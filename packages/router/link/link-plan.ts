/** How the channels of links behave, by what the configuration says. */
import { type ChannelPlan, linkPlan, singlePlan } from '@weft/wire'
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
      grace: closeAfter,
    },
  }
}

/** For peers that know no groups: all queues over one connection, and no constraint on its type. */
export function planOfSingleLinks(plan: ChannelPlan): ChannelPlan {
  return { ...plan, underlays: singlePlan.underlays }
}
