/**
 * The router's configuration file: every key of OpenZiti 2.1's.
 */
import {
  type Draft,
  didYouMean,
  duration,
  exactly,
  type Findings,
  flag,
  hostPort,
  listOf,
  oneOf,
  optional,
  required,
  second,
  secretText,
  section,
  subsection,
  text,
  type ValueOf,
  withDefault,
} from '@weft/model/config-file'
import { identitySection } from '@weft/model/config-sections'
import { ctrlSection } from './ctrl-section.ts'
import { csrSection, edgeSection } from './edge-section.ts'
import { forwarderSection } from './forwarder-section.ts'
import { linkSection } from './link-section.ts'
import { dialerBindings, dialersKind, listenersKind } from './listener-sections.ts'
import {
  connectEventsSection,
  healthChecksSection,
  interfaceDiscoverySection,
  metricsSection,
  profileSection,
  tolerated,
  traceSection,
} from './observation-sections.ts'
import { transportSection } from './transport-section.ts'
import { checkWebServers, webServerSection } from './web-section.ts'

/** The version of the file format, in its key `v`. */
export const fileVersion = { key: 'v', value: 3 } as const

const proxySection = section({
  keys: {
    type: required(oneOf(['none', 'http']), '`http` asks it with CONNECT; `none` is no proxy.'),
    address: optional(hostPort(), 'Where it is.'),
    username: optional(text(), 'The name it asks for.'),
    password: optional(secretText(), 'The password it asks for.'),
  },
  check(draft, findings) {
    if (draft.type === 'http' && draft.address === undefined) {
      findings.problem(draft, 'address', 'is required for type http, and missing')
    }
  },
})

export const routerSchema = section({
  keys: {
    v: required(exactly(fileVersion.value), 'The version of the file format.'),
    identity: required(identitySection, 'The certificates and keys of the router; enrollment writes them there.'),
    csr: optional(csrSection, 'What is certified. This or `edge.csr` is needed to enroll.'),
    ctrl: required(ctrlSection, 'The control channel: where controllers are.'),
    link: subsection(linkSection, 'Links to other routers. Without listeners and dialers there are none.'),
    listeners: withDefault(listenersKind, [], 'Where circuits begin: clients, tunnelers, plain connections.'),
    dialers: withDefault(
      dialersKind,
      [],
      'Where circuits end. A binding without an entry is refused, except `edge` and `tunnel`.',
    ),
    edge: optional(edgeSection, 'What the router does for clients. Without it the router only carries.'),
    forwarder: subsection(forwarderSection, 'How circuits are set up, watched and taken down.', tolerated),
    transport: subsection(transportSection, 'The transports of links and clients.', tolerated),
    tls: subsection(
      section({
        keys: { handshakeTimeout: withDefault(duration({ min: 1 }), 5 * second, 'How long a handshake may take.') },
      }),
      'TLS on every listener.',
      tolerated,
    ),
    proxy: optional(proxySection, 'A proxy between the router, its controllers and other routers.', tolerated),
    metrics: subsection(metricsSection, 'What controllers are told about the load.', tolerated),
    healthChecks: subsection(healthChecksSection, 'What the health API reports.', tolerated),
    connectEvents: subsection(connectEventsSection, 'What controllers are told about clients.', tolerated),
    interfaceDiscovery: subsection(interfaceDiscoverySection, 'What controllers are told about this machine.'),
    managedConfig: subsection(
      section({
        keys: {
          allow: withDefault(
            listOf(text()),
            [],
            'Config types that controllers may set here: `all`, a type, or a name without its version.',
          ),
        },
      }),
      'Settings from controllers.',
    ),
    web: withDefault(listOf(webServerSection), [], 'The HTTP servers.'),
    trace: optional(traceSection, 'Recording of messages.'),
    profile: optional(profileSection, 'Profiles of the running process.', tolerated),
    enableDebugOps: withDefault(flag(), false, 'Whether the local socket offers what is only for tests.', tolerated),
    plugins: withDefault(listOf(text()), [], 'Must be empty: extensions for Go programs cannot be loaded.', tolerated),
  },
  ignored: {
    ha: 'several controllers are always followed',
    healthCheck: 'healthChecks is its successor',
  },
  check(draft, findings) {
    checkListeners(draft, findings)
    checkDialers(draft, findings)
    checkWebServers(draft.web ?? [], findings)
    if ((draft.plugins ?? []).length > 0) {
      findings.problem(draft, 'plugins', 'wanted an empty list: extensions for Go programs cannot be loaded')
    }
  },
})

type RouterDraft = Draft<ValueOf<typeof routerSchema.keys>>

function checkListeners(draft: RouterDraft, findings: Findings): void {
  for (const listener of draft.listeners ?? []) {
    const { binding } = listener
    if ((binding === 'edge' || binding === 'tunnel') && draft.edge === undefined) {
      findings.problem(listener, 'binding', `${binding} needs a section edge, which is missing`)
    }
    if (!('address' in listener)) continue
    if (listener.address === undefined && listener.bind === undefined) {
      findings.problem(listener, 'address', 'is required, and missing: where it listens')
    }
    if (listener.address !== undefined && listener.bind !== undefined) {
      findings.warning(listener, 'bind', 'has no effect beside address')
    }
  }
}

function checkDialers({ dialers = [] }: RouterDraft, findings: Findings): void {
  const known: readonly string[] = dialerBindings
  const seen = new Set<string>()
  for (const dialer of dialers) {
    const { binding } = dialer
    if (binding === undefined) continue
    if (!known.includes(binding)) {
      findings.warning(dialer, 'binding', `no circuit ends at ${binding}${didYouMean(binding, known)}`)
    } else if (seen.has(binding)) {
      findings.warning(dialer, 'binding', 'a second entry for the same binding; it replaces the first')
    }
    seen.add(binding)
  }
}
