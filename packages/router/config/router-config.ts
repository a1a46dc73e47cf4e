/**
 * What the router knows of its configuration: the file with every default, fallback and former spelling applied.
 * Durations are milliseconds, and everything is frozen.
 */
import { dirname, join } from 'node:path'
import type { Findings, ProtocolAddress, ValueOf } from '@weft/model/config-file'
import {
  assembleChannelOptions,
  assembleIdentity,
  assembleWebOptions,
  type IdentityConfig,
} from '@weft/model/config-sections'
import { assembleLink, requireLocalBinding } from './link-config.ts'
import { type DialerBinding, dialerBindings } from './listener-sections.ts'
import { type Interfaces, interfaceOwning } from './local-binding.ts'
import type { routerSchema } from './router-schema.ts'
import { wholeAddress } from './transport-address.ts'

type RouterFile = ValueOf<typeof routerSchema.keys>
type ListenerFile = RouterFile['listeners'][number]

export type RouterConfig = ReturnType<typeof assembleRouterConfig>
export type CtrlConfig = RouterConfig['ctrl']
export type EdgeConfig = NonNullable<RouterConfig['edge']>
export type ListenerConfig = RouterConfig['listeners'][number]
export type EdgeListenerConfig = Extract<ListenerConfig, { readonly binding: 'edge' }>
export type WebServerConfig = RouterConfig['web'][number]
/** What is certified at enrollment and renewal. */
export type CsrConfig = NonNullable<RouterConfig['csr']>
/** How circuits of a binding behave. */
export type XgressOptions = RouterFile['dialers'][number]['options']

/** Where a file is read. */
export interface FilePlace {
  /** Its path: two defaults are derived from it. */
  readonly fileName: string
  readonly interfaces: Interfaces
}

/** Makes the configuration of a file that was read without problems. */
export function assembleRouterConfig(file: RouterFile, findings: Findings, place: FilePlace) {
  const identity = assembleIdentity(file.identity)
  return {
    identity,
    csr: file.csr ?? file.edge?.csr,
    ctrl: assembleCtrl(file.ctrl, findings, place),
    link: assembleLink(file.link, place.interfaces, findings),
    listeners: file.listeners.map(assembleListener),
    /** By binding. What has no entry is refused, except `edge` and `tunnel`. */
    dialers: assembleDialers(file.dialers),
    /** Undefined for a router that only carries. */
    edge: file.edge === undefined ? undefined : { ...file.edge, db: file.edge.db ?? `${place.fileName}.proto.gzip` },
    forwarder: assembleForwarder(file.forwarder, findings),
    transport: assembleTransport(file.transport),
    tls: file.tls,
    proxy: assembleProxy(file.proxy),
    metrics: file.metrics,
    healthChecks: file.healthChecks,
    connectEvents: file.connectEvents,
    interfaceDiscovery: file.interfaceDiscovery,
    managedConfig: file.managedConfig,
    web: file.web.map((server) => assembleWebServer(server, identity)),
    trace: file.trace,
    profile: file.profile,
    /** Whether the local socket offers what is only for tests. */
    enableDebugOps: file.enableDebugOps,
  }
}

function assembleCtrl(ctrl: RouterFile['ctrl'], findings: Findings, { fileName, interfaces }: FilePlace) {
  const { endpoint, endpoints, endpointsFile, bind, options, listeners, ...others } = ctrl
  return {
    ...others,
    /** Those of the file; what `endpointsFile` says wins. */
    endpoints: endpoint === undefined ? (endpoints ?? []) : [endpoint],
    endpointsFile: endpointsFile ?? join(dirname(fileName), 'endpoints.yml'),
    /** Whether the file names `endpointsFile`, so that no other spelling of the default is looked for. */
    isEndpointsFileNamed: endpointsFile !== undefined,
    localBinding: requireLocalBinding(ctrl, 'bind', interfaces, findings),
    options: assembleChannelOptions(options),
    listeners: listeners.map((listener) => ({
      ...listener,
      advertise: wholeAddress(listener.advertise ?? listener.bind, listener.bind),
      bindInterface: listener.bindInterface ?? interfaceOwning(listener.bind.host, interfaces) ?? '',
      options: assembleChannelOptions(listener.options),
    })),
  }
}

/** The peers widen the queue of an edge channel where the file leaves it at the usual size. */
const edgeOutQueueSize = { usual: 4, widened: 64 }

function assembleListener(listener: ListenerFile) {
  switch (listener.binding) {
    case 'edge': {
      const { advertise, ...options } = assembleChannelOptions(listener.options)
      const { outQueueSize } = options
      return {
        binding: listener.binding,
        address: (listener.address ?? listener.bind) as ProtocolAddress,
        advertise: (advertise ?? listener.advertise)!,
        options: {
          ...options,
          outQueueSize: outQueueSize === edgeOutQueueSize.usual ? edgeOutQueueSize.widened : outQueueSize,
        },
      }
    }
    case 'tunnel':
      return listener
    case 'transport':
    case 'proxy': {
      const { bind, address, ...others } = listener
      return { ...others, address: (address ?? bind) as ProtocolAddress }
    }
    case 'transport_udp':
    case 'proxy_udp': {
      const { bind, address, ...others } = listener
      return { ...others, address: (address ?? bind)! }
    }
  }
}

function assembleDialers(dialers: RouterFile['dialers']): Partial<Record<DialerBinding, XgressOptions>> {
  const known: readonly string[] = dialerBindings
  return Object.fromEntries(
    dialers.filter(({ binding }) => known.includes(binding)).map(({ binding, options }) => [binding, options]),
  )
}

const fewestProbeMilliseconds = 100

function assembleForwarder(forwarder: RouterFile['forwarder'], findings: Findings) {
  const { latencyProbeInterval, ...others } = forwarder
  const isTooOften = latencyProbeInterval > 0 && latencyProbeInterval < fewestProbeMilliseconds
  if (isTooOften) {
    findings.warning(forwarder, 'latencyProbeInterval', `less than ${fewestProbeMilliseconds}; that is used`)
  }
  return {
    ...others,
    /** Undefined for as often as links' heartbeats. */
    latencyProbeInterval:
      latencyProbeInterval === 0 ? undefined : Math.max(latencyProbeInterval, fewestProbeMilliseconds),
  }
}

function assembleTransport({ wss, ws }: RouterFile['transport']) {
  const webSocket = wss ?? ws
  return {
    /** Undefined where the file says nothing, and the transport's own defaults hold. */
    webSocket:
      webSocket === undefined
        ? undefined
        : {
            ...webSocket,
            identity: webSocket.identity === undefined ? undefined : assembleIdentity(webSocket.identity),
          },
  }
}

function assembleProxy(proxy: RouterFile['proxy']) {
  if (proxy === undefined || proxy.type === 'none') return undefined
  return { address: proxy.address!, username: proxy.username, password: proxy.password }
}

function assembleWebServer(server: RouterFile['web'][number], identity: IdentityConfig) {
  return {
    name: server.name,
    bindPoints: server.bindPoints,
    identity: server.identity === undefined ? identity : assembleIdentity(server.identity),
    apis: server.apis,
    options: assembleWebOptions(server.options),
  }
}
