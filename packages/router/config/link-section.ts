import {
  decimal,
  duration,
  flag,
  formatDuration,
  hour,
  integer,
  listOf,
  minute,
  oneOf,
  oneOrMore,
  optional,
  required,
  second,
  section,
  subsection,
  text,
  withDefault,
} from '@weft/model/config-file'
import { acceptOnlyOptions, channelOptionKeys, dialOptionKeys, heartbeatKeys } from '@weft/model/config-sections'
import { localBinding } from './local-binding.ts'
import { advertisedAddress, listenAddress } from './transport-address.ts'

const binding = withDefault(oneOf(['transport']), 'transport', 'The kind of link; there is one.')
const groups = withDefault(oneOrMore(text()), ['default'], 'Dialers and listeners that share a group form links.')
const outQueueSize = withDefault(
  integer({ min: 0, max: 1_000_000 }),
  4,
  'Messages that may wait on a link with a router before 1.6.6; 4 is as many as on other links.',
)
const listenerOptions = subsection(
  section({ keys: { ...channelOptionKeys({ isChecked: false }), outQueueSize } }),
  'How channels of links behave.',
)
const dialerOptions = subsection(
  section({ keys: { ...dialOptionKeys({ isChecked: false }), outQueueSize }, ignored: acceptOnlyOptions }),
  'How channels of links behave.',
)

const listenerSection = section({
  keys: {
    binding,
    bind: required(listenAddress(), 'Where other routers connect.'),
    advertise: optional(
      advertisedAddress(),
      'How other routers reach it; `bind` when absent. Without a protocol it has that of `bind`.',
    ),
    bindInterface: optional(text(), 'The interface it belongs to; the one that has the host of `bind` when absent.'),
    groups,
    options: listenerOptions,
  },
  ignored: { costTags: 'links have no cost tags' },
  check(draft, findings) {
    const { protocol = 'tls' } = draft.bind ?? {}
    if (protocol !== 'tls') findings.problem(draft, 'bind', `links are accepted over tls only, not over ${protocol}`)
  },
})

const shortestRetry = 10
const longestRetry = 24 * hour

/** Waits between dials; the two sets differ only in what they start from. */
function backoffSection(defaults: { readonly min: number; readonly max: number; readonly factor: number }) {
  const interval = () => duration({ min: shortestRetry, max: longestRetry })
  return section({
    keys: {
      minRetryInterval: withDefault(interval(), defaults.min, 'The first wait.'),
      maxRetryInterval: withDefault(interval(), defaults.max, 'The longest wait.'),
      retryBackoffFactor: withDefault(decimal({ min: 1, max: 100 }), defaults.factor, 'By how much it grows.'),
    },
    check(draft, findings) {
      const { minRetryInterval: min, maxRetryInterval: max } = draft
      if (min === undefined || max === undefined || min <= max) return
      const longest = formatDuration(max)
      const message = `wanted at most maxRetryInterval, which is ${longest}, found ${formatDuration(min)}`
      findings.problem(draft, 'minRetryInterval', message)
    },
  })
}

/** How other routers are dialled. */
export const linkDialerSection = section({
  keys: {
    binding,
    bind: optional(localBinding(), 'The interface that links are dialled from.'),
    bindInterface: optional(localBinding(), 'Another spelling of `bind`, which wins.'),
    groups,
    split: withDefault(
      flag(),
      true,
      'Whether data and acknowledgements travel on connections of their own; if not, a link is one connection.',
    ),
    maxDefaultConnections: withDefault(integer({ min: 1, max: 100 }), 3, 'Connections of a link for data.'),
    maxAckConnections: withDefault(integer({ min: 0, max: 100 }), 1, 'Connections of a link for acknowledgements.'),
    startupDelay: withDefault(duration(), 3 * second, 'How long the connections after the first wait.'),
    healthyDialBackoff: subsection(
      backoffSection({ min: 5 * second, max: 5 * minute, factor: 1.5 }),
      'Waits between dials to routers that controllers call healthy.',
    ),
    unhealthyDialBackoff: subsection(
      backoffSection({ min: minute, max: hour, factor: 10 }),
      'Waits between dials to other routers.',
    ),
    options: dialerOptions,
  },
  check(draft, findings) {
    if (draft.bind !== undefined && draft.bindInterface !== undefined) {
      findings.warning(draft, 'bindInterface', 'has no effect beside bind')
    }
  },
})

const heartbeatsSection = section({ keys: heartbeatKeys })

/** The mesh: links to other routers. */
export const linkSection = section({
  keys: {
    listeners: withDefault(
      listOf(listenerSection),
      [],
      'Where other routers connect. None is a router that only dials.',
    ),
    dialers: withDefault(
      listOf(linkDialerSection),
      [],
      'How other routers are dialled. None is a router that only listens.',
    ),
    heartbeats: optional(
      heartbeatsSection,
      'Heartbeats of links. Without the section a link closes after 60s without an answer, not 30s.',
    ),
    payloadSenderQueueSize: withDefault(
      integer({ min: 1, max: 1_000_000 }),
      128,
      'Data that may wait to be sent on a link.',
    ),
    ackSenderQueueSize: withDefault(
      integer({ min: 1, max: 1_000_000 }),
      64,
      'Acknowledgements that may wait to be sent on a link.',
    ),
  },
})
