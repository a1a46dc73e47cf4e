/** Dials a channel: the first connection with its hello, and for a group the keeper that adds the others. */
import { Channel } from '../channel/channel.ts'
import { ChannelError } from '../channel/channel-error.ts'
import type { ChannelPlan } from '../channel/channel-plan.ts'
import type { Surroundings } from '../channel/surroundings.ts'
import type { Underlay } from '../channel/underlay.ts'
import type { FrameBudget } from '../frame/frame-limits.ts'
import type { Headers } from '../frame/headers.ts'
import { greet } from '../hello/greet.ts'
import type { GroupPlace, HelloContent } from '../hello/hello.ts'
import type { Address } from '../transport/address.ts'
import { type DialOptions, dial } from '../transport/dial.ts'
import { type DialPolicyOptions, linkDialPolicy } from './dial-policy.ts'
import { GroupKeeper } from './group-keeper.ts'

export interface UnderlayDialOptions extends DialOptions {
  readonly address: string | Address
  readonly hello: HelloContent
  /** When set, a peer that answers under another id is refused. */
  readonly expectedPeerId?: string
  /** Judges the certificates of whoever answered; a throw refuses it. */
  readonly check?: (underlay: Underlay) => void
  readonly budget?: FrameBudget
}

const defaultTimeout = 5_000

/** One connection and its hello, under one deadline. Rejects with `TransportError` or `ChannelError`. */
export async function dialUnderlay(options: UnderlayDialOptions): Promise<Underlay> {
  const timeoutMilliseconds = options.timeoutMilliseconds ?? defaultTimeout
  const startedAt = performance.now()
  const connection = await dial(options.address, { ...options, timeoutMilliseconds })
  const left = Math.max(1, timeoutMilliseconds - (performance.now() - startedAt))
  const patience = { timeoutMilliseconds: left, ...(options.signal === undefined ? {} : { signal: options.signal }) }
  const underlay = await greet(connection, options.hello, patience, options.budget)
  try {
    const { expectedPeerId } = options
    if (expectedPeerId !== undefined && underlay.peerId !== '' && underlay.peerId !== expectedPeerId) {
      throw new ChannelError('WRONG_PEER', `${JSON.stringify(underlay.peerId.slice(0, 64))} for ${expectedPeerId}`)
    }
    options.check?.(underlay)
  } catch (error) {
    connection.destroy()
    throw error
  }
  return underlay
}

export interface ChannelDialOptions extends Omit<UnderlayDialOptions, 'hello'> {
  readonly name: string
  readonly plan: ChannelPlan
  /** Asked before every hello, so that what a peer says about itself is of the present. */
  readonly hello: () => { readonly id: string; readonly headers?: Headers }
  /** Left out for a channel that is no group. */
  readonly group?: GroupDialOptions
  /** Registers handlers, before anything is read. A throw closes the channel. */
  readonly bind: (channel: Channel) => void | Promise<void>
}

type DesiredCounts = Readonly<Record<string, number>>

export interface GroupDialOptions {
  /** The type of the first connection. */
  readonly type: string
  /** When the dialer names the group: links do. */
  readonly connectionId?: string
  /** How many connections of each type; a function where that depends on what the peer says of itself. */
  readonly desired: DesiredCounts | ((first: Underlay) => DesiredCounts)
  readonly startupDelay?: number
  readonly policy?: DialPolicyOptions
}

/** A started channel. Its connections are kept up for as long as its plan lets it live. */
export async function dialChannel(options: ChannelDialOptions, given: Partial<Surroundings> = {}): Promise<Channel> {
  const { group } = options
  const dialType = (type: string, place: GroupPlace | undefined, signal: AbortSignal | undefined) =>
    dialUnderlay({
      ...options,
      ...(signal === undefined ? {} : { signal }),
      hello: { ...options.hello(), ...(type === '' ? {} : { type }), ...(place === undefined ? {} : { group: place }) },
    })
  const first = await dialType(group?.type ?? '', group === undefined ? undefined : firstPlace(group), options.signal)
  const channel = new Channel(first, options, given)
  try {
    await options.bind(channel)
  } catch (error) {
    channel.close()
    throw error
  }
  channel.start()
  if (group !== undefined) {
    const { policy = linkDialPolicy, startupDelay = 0 } = group
    const desired = typeof group.desired === 'function' ? group.desired(first) : group.desired
    new GroupKeeper(channel, { desired, policy, startupDelay, dial: dialType }, given).start()
  }
  return channel
}

function firstPlace({ connectionId }: GroupDialOptions): GroupPlace {
  return { isFirst: true, ...(connectionId === undefined ? {} : { connectionId }) }
}
