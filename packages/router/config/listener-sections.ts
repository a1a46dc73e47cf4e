/**
 * `listeners` and `dialers`: the ways into and out of the mesh, each with a binding that says what it is.
 */
import {
  duration,
  hostPort,
  listOf,
  optional,
  required,
  second,
  section,
  subsection,
  text,
  variants,
  withDefault,
} from '@weft/model/config-file'
import { channelOptionKeys } from '@weft/model/config-sections'
import { listenAddress, packetAddress } from './transport-address.ts'
import { tunnelOptionsSection } from './tunnel-options.ts'
import { dialTimeoutKey, formerXgressOptions, xgressOptionKeys } from './xgress-options.ts'

const edgeOptionsSection = section({
  keys: {
    advertise: optional(hostPort(), 'How clients reach it; the server certificate has to cover the host.'),
    ...channelOptionKeys({ isChecked: true }),
    lookupApiSessionTimeout: withDefault(duration(), 5 * second, 'Accepted; sessions are known without asking.'),
    lookupSessionTimeout: withDefault(duration(), 5 * second, 'Accepted; sessions are known without asking.'),
    ...xgressOptionKeys,
  },
  ignored: formerXgressOptions,
})

const xgressOptionsSection = section({
  keys: { ...xgressOptionKeys, ...dialTimeoutKey },
  ignored: formerXgressOptions,
})
const options = subsection(xgressOptionsSection, 'How circuits behave.')

const address = optional(listenAddress(), 'Where it listens. This or `bind` is required.')
const bind = optional(listenAddress(), 'Another spelling of `address`, which wins.')
const packets = optional(packetAddress(), 'Where it listens. This or `bind` is required.')
const packetsBind = optional(packetAddress(), 'Another spelling of `address`, which wins.')
const service = required(text(), 'The service that everyone who connects is led to.')

const listenerVariants = {
  edge: section({
    keys: {
      address,
      bind,
      advertise: optional(hostPort(), 'Another place for `options.advertise`, which wins.'),
      options: subsection(edgeOptionsSection, 'How clients reach it, and how their channels and circuits behave.'),
    },
    check(draft, findings) {
      if (draft.options === undefined || (draft.options.advertise ?? draft.advertise) !== undefined) return
      findings.problem(draft.options, 'advertise', 'is required, and missing: how clients reach this listener')
    },
  }),
  tunnel: section({ keys: { options: subsection(tunnelOptionsSection, 'The router as a tunneler for itself.') } }),
  transport: section({ keys: { address, bind, options } }),
  transport_udp: section({ keys: { address: packets, bind: packetsBind, options } }),
  proxy: section({ keys: { address, bind, service, options } }),
  proxy_udp: section({ keys: { address: packets, bind: packetsBind, service, options } }),
}

/** Where circuits begin. */
export const listenersKind = listOf(variants('binding', listenerVariants))

/** Bindings that circuits can end at. */
export const dialerBindings = ['edge', 'edge_transport', 'transport', 'transport_udp', 'tunnel'] as const
export type DialerBinding = (typeof dialerBindings)[number]

const dialerSection = section({
  keys: {
    binding: required(text(), `What circuits end at: ${dialerBindings.join(', ')}.`),
    options,
  },
})

/** Where circuits end. A binding that does not exist harms no one until a circuit asks for it. */
export const dialersKind = listOf(dialerSection)
