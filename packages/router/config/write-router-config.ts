/**
 * A complete configuration file for a new router: what it needs is there, and every other setting stands as a comment
 * with its meaning and default.
 */
import { join } from 'node:path'
import type { Keys } from '@weft/model/config-file'
import { commentedKeys, commentedSection, prose } from './commented-section.ts'
import { ctrlSection } from './ctrl-section.ts'
import { linkDialerSection, linkSection } from './link-section.ts'
import { routerSchema } from './router-schema.ts'

/** What a new router is to be. */
export interface NewRouter {
  readonly name: string
  /** Where its certificates and keys are to lie; absolute. */
  readonly directory: string
  /** The control channel of its controller, as `host:port`; left to enrollment when undefined. */
  readonly controller: string | undefined
  /** The host that others reach it by, without brackets. */
  readonly host: string
  readonly edgePort: number
  readonly linkPort: number
  /** Whether clients come by WebSocket, as browsers do. */
  readonly isWebSocket: boolean
  /** Whether it only dials other routers. */
  readonly isPrivate: boolean
  /** What it does for services of its own identity; a router without `edge` serves no clients at all. */
  readonly tunnel: 'none' | 'host' | 'tproxy' | 'proxy'
  readonly lanInterface: string | undefined
  readonly isEdge: boolean
}

/** The text of the file. Texts are quoted as JSON, which is YAML too. */
export function writeRouterConfig(router: NewRouter): string {
  const blocks = [
    [
      ...prose(`The router ${router.name}, written by "weft router config" and then yours.`, ''),
      ...prose('Lines like "#key: value" show settings with their defaults: remove the # to change one.', ''),
      'v: 3',
    ],
    identity(router),
    ctrl(router),
    link(router),
    listeners(router),
    csr(router),
    dialers(),
    transport(router),
    web(router),
    ...optionalSections.map((name) =>
      commentedSection(name, routerSchema.keys[name].meaning, keysOf(routerSchema, name)),
    ),
    proxy(),
    ...observation(router),
    [...prose(routerSchema.keys.enableDebugOps.meaning, ''), '#enableDebugOps: false'],
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

const quoted = JSON.stringify

/** Sections that are written as they are declared, in this order. */
const optionalSections = [
  'forwarder',
  'tls',
  'metrics',
  'healthChecks',
  'connectEvents',
  'interfaceDiscovery',
  'managedConfig',
] as const

/** The keys of a section within another. */
function keysOf({ keys }: { readonly keys: Keys }, name: string): Keys {
  const parts = keys[name]?.kind.parts
  return parts?.form === 'section' ? parts.section.keys : {}
}

/** Some of the keys of a section, as comments. */
function commented(keys: Keys, names: readonly string[], indent: string): string[] {
  return commentedKeys(Object.fromEntries(names.map((name) => [name, keys[name]!])), indent)
}

function identity({ directory, name }: NewRouter): string[] {
  const file = (ending: string) => quoted(join(directory, `${name}.${ending}`))
  return [
    '# Certificates and keys. "weft router enroll" writes these files, and they are followed when they change.',
    'identity:',
    `  cert: ${file('cert')}`,
    `  server_cert: ${file('server.chain.cert')}`,
    `  key: ${file('key')}`,
    `  ca: ${file('cas')}`,
    '  # Further server certificates, chosen by the name a client asks for.',
    '  #alt_server_certs:',
    `    #- server_cert: ${file('alt.cert')}`,
    `      #server_key: ${file('alt.key')}`,
  ]
}

function ctrl({ controller, directory, host }: NewRouter): string[] {
  return [
    '# Where controllers are. What they say of each other is kept in a file, and wins once it is there.',
    'ctrl:',
    ...(controller === undefined
      ? ['  # Not needed: enrollment learns it from the token.', '  #endpoint: tls:ctrl.example.net:1280']
      : [`  endpoint: ${quoted(`tls:${controller}`)}`]),
    `  endpointsFile: ${quoted(join(directory, 'endpoints.yml'))}`,
    '  # How long the router waits for its first controller before it ends; 0 is for ever.',
    '  #startupTimeout: 30s',
    '  # The interface or local address that controllers are dialled from.',
    '  # bind: eth0',
    ...commented(ctrlSection.keys, ['defaultRequestTimeout', 'heartbeats', 'options'], '  '),
    '  # Where controllers connect that dial their routers. The server certificate has to cover the advertised host.',
    '  #listeners:',
    '    #- bind: tls:0.0.0.0:6262',
    `      #advertise: ${quoted(`tls:${bracketed(host)}:6262`)}`,
    '      #groups: [default]',
  ]
}

function link({ isPrivate, host, linkPort }: NewRouter): string[] {
  const sign = isPrivate ? '#' : ''
  return [
    '# Links to other routers: this one dials them, and unless it is private they dial it.',
    'link:',
    '  dialers:',
    '    - binding: transport',
    '      # Links are formed where dialer and listener share a group.',
    '      #groups: [default]',
    '      # Without it a link is a single connection.',
    '      #split: true',
    ...commented(linkDialerSection.keys, dialerKeys, '      '),
    `  ${sign}listeners:`,
    `    ${sign}- binding: transport`,
    `      ${sign}bind: tls:0.0.0.0:${linkPort}`,
    `      ${sign}advertise: ${quoted(`tls:${bracketed(host)}:${linkPort}`)}`,
    `      #groups: [default]`,
    ...commented(linkSection.keys, ['payloadSenderQueueSize', 'ackSenderQueueSize'], '  '),
    '  # When a link that does not answer is given up.',
    '  #heartbeats:',
    '    #closeUnresponsiveTimeout: 60s',
  ]
}

const dialerKeys = [
  'maxDefaultConnections',
  'maxAckConnections',
  'startupDelay',
  'healthyDialBackoff',
  'unhealthyDialBackoff',
]

function listeners(router: NewRouter): string[] {
  const { isEdge, isWebSocket, host, edgePort, tunnel } = router
  if (!isEdge) return ['# No listeners: this router only carries.', '#listeners: []']
  const lines = [
    '# Where clients enter. Links may use the same port.',
    'listeners:',
    '  - binding: edge',
    `    address: ${isWebSocket ? 'wss' : 'tls'}:0.0.0.0:${edgePort}`,
    '    options:',
    '      # The server certificate has to cover this host: see edge.csr.sans.',
    `      advertise: ${quoted(`${bracketed(host)}:${edgePort}`)}`,
    '      # How long the hello of a client may take.',
    '      #connectTimeout: 5s',
  ]
  if (tunnel === 'none') return lines
  return [
    ...lines,
    '  # The router as a tunneler for its own identity: "host" offers the services it may bind, "tproxy" also',
    '  # intercepts those it may dial, "proxy" opens a port for each of the services listed.',
    '  - binding: tunnel',
    '    options:',
    `      mode: ${tunnel}`,
    ...tunnelOptions(router),
  ]
}

function tunnelOptions({ tunnel, lanInterface }: NewRouter): string[] {
  const dns = ['      resolver: udp://127.0.0.1:53', '      dnsSvcIpRange: 100.64.0.1/10']
  if (tunnel === 'tproxy') return lanInterface === undefined ? dns : [...dns, `      lanIf: ${quoted(lanInterface)}`]
  return tunnel === 'proxy' ? ['      # service:port or service:port:udp', '      #services: ["my-service:8080"]'] : []
}

/** A router without clients has no `edge` section, and asks for its certificate at the top level. */
function csr({ isEdge, host }: NewRouter): string[] {
  const isAddress = host.includes(':') || /^[0-9.]+$/u.test(host)
  const names = [...new Set(isAddress ? ['localhost'] : ['localhost', host])]
  const addresses = [...new Set(isAddress ? ['127.0.0.1', '::1', host] : ['127.0.0.1', '::1'])]
  const request = [
    'csr:',
    '  # country: US',
    '  # organization: Example',
    '  sans:',
    '    dns:',
    ...names.map((name) => `      - ${quoted(name)}`),
    '    ip:',
    ...addresses.map((address) => `      - ${quoted(address)}`),
  ]
  if (!isEdge)
    return ['# What is certified at enrollment and renewal: every host that is advertised above.', ...request]
  return [
    '# What the router does for clients. Without this section it only carries.',
    'edge:',
    '  # What is certified at enrollment and renewal: every host that is advertised above.',
    ...request.map((line) => `  ${line}`),
    '  # How often what controllers sent is kept on disk, in seconds.',
    '  #dbSaveIntervalSeconds: 30',
  ]
}

function dialers(): string[] {
  return [
    '# Lets circuits of services without a host of their own end at any address that this machine reaches.',
    '#dialers:',
    '  #- binding: transport',
  ]
}

function transport({ isWebSocket }: NewRouter): string[] {
  const sign = isWebSocket ? '' : '#'
  return [
    '# Listeners for WebSockets; in seconds.',
    `${sign}transport:`,
    `  ${sign}wss:`,
    `    ${sign}idleTimeout: 120`,
    `    ${sign}pongTimeout: 60`,
    `    ${sign}pingInterval: 54`,
    `    ${sign}enableCompression: true`,
  ]
}

function web({ host }: NewRouter): string[] {
  return [
    '# An HTTP server for monitors. Open to anyone who can reach the port.',
    '#web:',
    '  #- name: health',
    '    #bindPoints:',
    '      #- interface: 127.0.0.1:8081',
    `        #address: ${quoted(`${bracketed(host)}:8081`)}`,
    '    #apis:',
    '      #- binding: health-checks',
    '      # For Prometheus; not of OpenZiti.',
    '      #- binding: metrics',
  ]
}

function proxy(): string[] {
  return [
    ...prose(routerSchema.keys.proxy.meaning, ''),
    '#proxy:',
    '  # Or http, which needs its address, and may need a username and a password.',
    '  #type: none',
    '  # address: proxy.example.net:3128',
  ]
}

function observation({ directory, name }: NewRouter): string[][] {
  const file = (ending: string) => quoted(join(directory, `${name}.${ending}`))
  const { trace, profile } = routerSchema.keys
  return [
    [...prose(`${trace.meaning} The file is emptied at start.`, ''), '#trace:', `  #path: ${file('trace')}`],
    [
      ...prose(profile.meaning, ''),
      '#profile:',
      '  #cpu:',
      `    #path: ${file('cpuprofile')}`,
      '  #memory:',
      `    #path: ${file('heapprofile')}`,
      '    #intervalMs: 15000',
    ],
  ]
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
