/** Two channels in memory that talk to each other, without a hello. */
import { Channel } from '../channel/channel.ts'
import { type ChannelPlan, singlePlan } from '../channel/channel-plan.ts'
import type { Surroundings } from '../channel/surroundings.ts'
import type { Underlay } from '../channel/underlay.ts'
import { unannounced } from '../hello/unannounced.ts'
import { type MemoryPair, memoryPair } from './memory-pair.ts'

export interface ChannelPair extends MemoryPair, AsyncDisposable {
  readonly here: Channel
  readonly there: Channel
}

export interface PairOptions {
  readonly plan?: ChannelPlan
  readonly maxRequests?: number
  readonly maxWaiting?: number
  readonly deps?: Partial<Surroundings>
  /** Called before the channels start. */
  readonly bind?: (here: Channel, there: Channel) => void
}

export function channelPair({ plan = singlePlan, deps = {}, bind, ...options }: PairOptions = {}): ChannelPair {
  const pair = memoryPair()
  const here = new Channel(unannounced(pair.near, 'there'), { name: 'here', plan, ...options }, deps)
  const there = new Channel(unannounced(pair.far, 'here'), { name: 'there', plan, ...options }, deps)
  bind?.(here, there)
  here.start()
  there.start()
  return {
    ...pair,
    here,
    there,
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]()
      await there[Symbol.asyncDispose]()
    },
  }
}

/** Connections of a group, as both ends see them. */
export function groupedPair(type: string): { readonly near: Underlay; readonly far: Underlay } {
  const { near, far } = memoryPair()
  const secret = Buffer.alloc(16, 1)
  return {
    near: { ...unannounced(near, 'far'), type, secret, connectionId: 'group' },
    far: { ...unannounced(far, 'near'), type, secret, connectionId: 'group' },
  }
}
