/**
 * Dials a link in the form that the other router understands: a group of connections, or for routers before 1.6.6 one
 * connection or two.
 */
import { randomUUID } from 'node:crypto'
import { compareVersions, parseVersion } from '@weft/model'
import type { Identity } from '@weft/pki'
import {
  type Channel,
  type ChannelPlan,
  dialChannel,
  type Headers,
  type HttpProxy,
  linkDialPolicy,
  type Surroundings,
} from '@weft/wire'
import { linkHello, splitHalf } from '@weft/wire/messages'
import type { LinkDialerConfig } from '../config/link-config.ts'
import { networkVersion } from '../version.ts'
import { Link, type LinkChannels } from './link.ts'
import { linkChannelName } from './link-channel-name.ts'
import type { LinkMeters } from './link-meters.ts'
import { planWithOptions } from './link-plan.ts'

export interface LinkDialDeps {
  readonly routerId: string
  /** Asked for each connection: certificates are renewed. */
  readonly identity: () => Identity
  /** Asked for each link. */
  readonly plan: () => ChannelPlan
  readonly meters: LinkMeters
  readonly surroundings: Surroundings
  readonly proxy: HttpProxy | undefined
  /** Registers who handles what comes over a link, before anything is read. */
  readonly bind?: ((channel: Channel) => void) | undefined
}

/** Which link, and to whom. */
export interface LinkDialRequest {
  readonly linkId: string
  readonly key: string
  readonly iteration: number
  readonly routerId: string
  readonly routerVersion: string
  readonly address: string
  readonly protocol: string
  readonly dialer: LinkDialerConfig
}

const protocols = ['ziti-link']
const groupedSince = parseVersion('1.6.6')!
const developmentVersion = '0.0.0'

export function linkDialer(deps: LinkDialDeps) {
  return async (request: LinkDialRequest, signal: AbortSignal): Promise<Link> => {
    const { linkId: id, key, iteration, routerId, routerVersion, protocol, address: dialAddress } = request
    const channels = await dialChannels(deps, request, signal)
    const facts = { id, key, routerId, routerVersion, iteration, isDialed: true, protocol, dialAddress }
    return new Link(facts, channels, deps.meters.take(id), deps.surroundings.clock.monotonic())
  }
}

async function dialChannels(deps: LinkDialDeps, request: LinkDialRequest, signal: AbortSignal): Promise<LinkChannels> {
  const connectionId = randomUUID()
  if (knowsGroups(request.routerVersion)) {
    const { maxDefaultConnections, maxAckConnections, startupDelay } = request.dialer
    const channel = await dialOne(deps, request, signal, helloHeaders(deps, request), {
      type: 'link.default',
      connectionId,
      startupDelay,
      policy: linkDialPolicy,
      desired: { 'link.default': maxDefaultConnections, 'link.ack': maxAckConnections },
    })
    return { kind: channel.first.secret === undefined ? 'single' : 'grouped', channel }
  }
  const alone = (half?: number) => helloHeaders(deps, request, half).set(0, connectionId)
  if (!request.dialer.split) return { kind: 'single', channel: await dialOne(deps, request, signal, alone()) }
  const payload = await dialOne(deps, request, signal, alone(splitHalf.payload))
  try {
    return { kind: 'split', payload, ack: await dialOne(deps, request, signal, alone(splitHalf.ack)) }
  } catch (error) {
    payload.close()
    throw error
  }
}

function dialOne(
  deps: LinkDialDeps,
  { linkId, routerId, address, dialer }: LinkDialRequest,
  signal: AbortSignal,
  headers: Headers,
  group?: NonNullable<Parameters<typeof dialChannel>[0]['group']>,
): Promise<Channel> {
  const { localBinding, options } = dialer
  return dialChannel(
    {
      address,
      name: linkChannelName(linkId),
      plan: planWithOptions(deps.plan(), options, group === undefined ? 'single' : 'grouped'),
      protocols,
      get tls() {
        const { client, caPem } = deps.identity()
        return { caPem, ...(client === undefined ? {} : { client }) }
      },
      timeoutMilliseconds: options.connectTimeout,
      ...(localBinding === undefined ? {} : { localAddress: localBinding.address }),
      ...(deps.proxy === undefined ? {} : { proxy: deps.proxy }),
      signal,
      // Whoever answers there must be the router that is meant.
      expectedPeerId: routerId,
      hello: () => ({ id: linkId, headers }),
      ...(group === undefined ? {} : { group }),
      bind: (channel) => deps.bind?.(channel),
    },
    deps.surroundings,
  )
}

function helloHeaders(deps: LinkDialDeps, request: LinkDialRequest, half?: number): Headers {
  return linkHello.encode('hello', {
    routerId: deps.routerId,
    routerVersion: networkVersion,
    dialerBinding: request.dialer.bindInterface,
    iteration: request.iteration,
    dialedRouterId: request.routerId,
    linkId: request.linkId,
    ...(half === undefined ? {} : { half }),
  }).headers
}

function knowsGroups(version: string): boolean {
  const parsed = parseVersion(version.replace(/^v/u, ''))
  if (parsed === undefined || version.replace(/^v/u, '') === developmentVersion) return true
  return compareVersions({ ...parsed, prerelease: [] }, groupedSince) >= 0
}
