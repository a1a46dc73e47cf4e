/**
 * The `link` section with every default, fallback and former spelling applied.
 */
import type { Findings, ProtocolAddress, ValueOf } from '@weft/model/config-file'
import {
  assembleChannelOptions,
  type ChannelOptions,
  type DialedChannelOptions,
  type Heartbeats,
} from '@weft/model/config-sections'
import type { linkSection } from './link-section.ts'
import { type Interfaces, interfaceOwning, type LocalBinding, resolveLocalBinding } from './local-binding.ts'
import { wholeAddress } from './transport-address.ts'

type LinkFile = ValueOf<typeof linkSection.keys>
type DialerFile = LinkFile['dialers'][number]

/** Where other routers connect. */
export interface LinkListenerConfig {
  readonly bind: ProtocolAddress
  /** What is published, protocol included. */
  readonly advertise: ProtocolAddress
  /** The interface it belongs to, which is part of a link's key; empty for none. */
  readonly bindInterface: string
  readonly groups: readonly string[]
  readonly options: ChannelOptions
}

/** Waits between dials, in milliseconds. */
export interface DialBackoff {
  readonly minRetryInterval: number
  readonly maxRetryInterval: number
  readonly retryBackoffFactor: number
}

/** How other routers are dialled. */
export interface LinkDialerConfig {
  /** The interface that is part of a link's key; empty for none. */
  readonly bindInterface: string
  /** What connections are bound to; the system chooses when undefined. */
  readonly localBinding: LocalBinding | undefined
  readonly groups: readonly string[]
  /** Whether peers that know no grouped channels get two connections. */
  readonly split: boolean
  readonly maxDefaultConnections: number
  readonly maxAckConnections: number
  readonly startupDelay: number
  readonly healthyDialBackoff: DialBackoff
  readonly unhealthyDialBackoff: DialBackoff
  readonly options: DialedChannelOptions
}

export interface LinkConfig {
  readonly listeners: readonly LinkListenerConfig[]
  readonly dialers: readonly LinkDialerConfig[]
  readonly heartbeats: Heartbeats
  readonly payloadSenderQueueSize: number
  readonly ackSenderQueueSize: number
}

/** Files without a `heartbeats` section are more patient than the section's own default. */
const heartbeatsWithoutSection: Heartbeats = {
  sendInterval: 10_000,
  checkInterval: 1_000,
  closeUnresponsiveTimeout: 60_000,
}

export function assembleLink(file: LinkFile, interfaces: Interfaces, findings: Findings): LinkConfig {
  const listeners = file.listeners.map((listener) => ({
    bind: listener.bind,
    advertise: wholeAddress(listener.advertise ?? listener.bind, listener.bind),
    bindInterface: listener.bindInterface ?? interfaceOwning(listener.bind.host, interfaces) ?? '',
    groups: listener.groups,
    options: assembleChannelOptions(listener.options),
  }))
  // One listener and one dialer are the two sides of one interface, unless the file says otherwise.
  const adopted = listeners.length === 1 && file.dialers.length === 1 ? listeners[0]!.bindInterface : ''
  return {
    listeners,
    dialers: file.dialers.map((dialer) => assembleDialer(dialer, adopted, interfaces, findings)),
    heartbeats: file.heartbeats ?? heartbeatsWithoutSection,
    payloadSenderQueueSize: file.payloadSenderQueueSize,
    ackSenderQueueSize: file.ackSenderQueueSize,
  }
}

function assembleDialer(
  dialer: DialerFile,
  adopted: string,
  interfaces: Interfaces,
  findings: Findings,
): LinkDialerConfig {
  const { binding, bind, bindInterface, options, maxDefaultConnections, maxAckConnections, ...others } = dialer
  const key = bind === undefined ? 'bindInterface' : 'bind'
  const localBinding = requireLocalBinding(dialer, key, interfaces, findings)
  return {
    ...others,
    bindInterface: localBinding?.interfaceName ?? adopted,
    localBinding,
    maxDefaultConnections: dialer.split ? maxDefaultConnections : 1,
    maxAckConnections: dialer.split ? maxAckConnections : 0,
    options: assembleChannelOptions(options),
  }
}

/** The binding that a key names; one that the machine does not have is a problem. */
export function requireLocalBinding<K extends string, O extends { readonly [P in K]: string | undefined }>(
  section: O,
  key: K & keyof O & string,
  interfaces: Interfaces,
  findings: Findings,
): LocalBinding | undefined {
  const written = section[key]
  if (written === undefined) return undefined
  const found = resolveLocalBinding(written, interfaces)
  if (found === undefined) findings.problem(section, key, 'no interface of this machine has this name or address')
  return found
}
