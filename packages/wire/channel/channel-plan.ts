/**
 * What kinds of channel there are, as tables: which queues a channel has, which connections it may consist of, and which
 * queues each of them empties. Senders choose a queue; there is no priority on the wire.
 */
import { controlLimits, dataLimits, type FrameLimits } from '../frame/frame-limits.ts'
import type { HeartbeatOptions } from './heartbeat.ts'

export interface UnderlayRule {
  /** Queues in the order of their urgency. */
  readonly drains: readonly string[]
  /** Queues it empties as well while the channel has no connection of that type. */
  readonly standsInFor?: Readonly<Record<string, readonly string[]>>
  /** With fewer of this type the channel closes. */
  readonly min: number
  /** More of this type are refused. */
  readonly max: number
}

export interface ChannelPlan {
  /** The most urgent first. */
  readonly queues: readonly { readonly name: string; readonly messages: number; readonly bytes: number }[]
  /** For replies, heartbeats and everything for which nobody names another. */
  readonly defaultQueue: string
  /** By the type in the hello. A type that is not here empties all queues. */
  readonly underlays: Readonly<Record<string, UnderlayRule>>
  /** With fewer connections altogether the channel closes; zero lets it outlive all of them. */
  readonly minUnderlays: number
  readonly limits: FrameLimits
  readonly heartbeats?: HeartbeatOptions
  /** Milliseconds for which a connection may take nothing before it is given up; zero for any time. */
  readonly writeTimeout: number
  /** Bytes that a connection hands on at one time, where there are many connections that seldom carry much. */
  readonly pieceSize?: number
}

const MiB = 1024 * 1024

/** The default of the option, with Go peers too: it stands for the sizes of the plan. */
const usualOutQueueSize = 4

/** The plan with room for so many messages in each queue, as the option `outQueueSize` of a configuration says. */
export function withOutQueueSize(plan: ChannelPlan, outQueueSize: number): ChannelPlan {
  if (outQueueSize === usualOutQueueSize) return plan
  const messages = Math.max(1, outQueueSize)
  return { ...plan, queues: plan.queues.map((queue) => ({ ...queue, messages })) }
}

/**
 * Router and controller, as the controller has it. A router survives the loss of all connections and gives no grace: it
 * sets `minUnderlays` and the heartbeats' `grace` to zero.
 */
export const controlPlan: ChannelPlan = {
  queues: [
    { name: 'high', messages: 16, bytes: 4 * MiB },
    { name: 'default', messages: 16, bytes: 64 * MiB },
    { name: 'low', messages: 16, bytes: 4 * MiB },
  ],
  defaultQueue: 'default',
  underlays: {
    'ctrl.default': { drains: ['default', 'low'], standsInFor: { 'ctrl.high': ['high'] }, min: 0, max: 4 },
    // After a loss of all connections a Go router often comes back with this type first.
    'ctrl.high': { drains: ['high'], standsInFor: { 'ctrl.default': ['default', 'low'] }, min: 0, max: 4 },
    'ctrl.low': { drains: ['low'], min: 0, max: 4 },
  },
  minUnderlays: 1,
  limits: controlLimits,
  heartbeats: { sendInterval: 10_000, checkInterval: 1_000, closeAfter: 30_000, grace: 60_000 },
  writeTimeout: 60_000,
  pieceSize: 8 * 1024,
}

/** Router and router. */
export const linkPlan: ChannelPlan = {
  queues: [
    { name: 'ack', messages: 64, bytes: MiB },
    { name: 'payload', messages: 128, bytes: 8 * MiB },
  ],
  defaultQueue: 'payload',
  underlays: {
    'link.default': { drains: ['ack', 'payload'], min: 1, max: 100 },
    'link.ack': { drains: ['ack'], min: 0, max: 100 },
  },
  minUnderlays: 1,
  limits: dataLimits,
  heartbeats: { sendInterval: 10_000, checkInterval: 1_000, closeAfter: 60_000, grace: 120_000 },
  writeTimeout: 60_000,
}

/** SDK and router. An application that does not read stops its SDK from reading, so no write times out. */
export const edgePlan: ChannelPlan = {
  queues: [
    { name: 'control', messages: 16, bytes: MiB },
    { name: 'default', messages: 64, bytes: 8 * MiB },
  ],
  defaultQueue: 'default',
  underlays: {
    'edge.default': { drains: ['default'], standsInFor: { 'edge.control': ['control'] }, min: 1, max: 100 },
    'edge.control': { drains: ['control'], min: 0, max: 100 },
  },
  minUnderlays: 1,
  limits: dataLimits,
  writeTimeout: 0,
}

/** One connection, one queue: management websocket, agent, mesh. */
export const singlePlan: ChannelPlan = {
  queues: [{ name: 'default', messages: 64, bytes: 64 * MiB }],
  defaultQueue: 'default',
  underlays: {},
  minUnderlays: 1,
  limits: controlLimits,
  writeTimeout: 60_000,
}
