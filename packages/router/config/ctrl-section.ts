import {
  duration,
  flag,
  integer,
  listOf,
  oneOrMore,
  optional,
  required,
  second,
  section,
  subsection,
  text,
  withDefault,
} from '@weft/model/config-file'
import {
  acceptOnlyOptions,
  adaptiveWindowKeys,
  channelOptionKeys,
  checkAdaptiveWindow,
  dialOptionKeys,
  heartbeatKeys,
} from '@weft/model/config-sections'
import { localBinding } from './local-binding.ts'
import { advertisedAddress, dialAddress, listenAddress } from './transport-address.ts'

const dialOptionsSection = section({ keys: dialOptionKeys({ isChecked: true }), ignored: acceptOnlyOptions })
const optionsSection = section({ keys: channelOptionKeys({ isChecked: true }) })

const heartbeatsSection = section({
  keys: {
    ...heartbeatKeys,
    unresponsiveAfter: withDefault(
      duration(),
      5 * second,
      'Above this latency a controller counts as slow, and others are asked first.',
    ),
  },
})

const rateLimiterSection = section({
  keys: {
    enabled: withDefault(flag(), true, 'Whether they are limited.'),
    minSize: withDefault(integer({ min: 1, max: 1_000 }), 1, 'The smallest window.'),
    maxSize: withDefault(integer({ min: 1, max: 1_000 }), 250, 'The largest window, with which it starts.'),
    timeout: withDefault(duration(), 30 * second, 'When an unanswered request counts as failed.'),
    ...adaptiveWindowKeys,
  },
  check: checkAdaptiveWindow,
})

const listenerSection = section({
  keys: {
    bind: required(listenAddress(), 'Where controllers connect.'),
    advertise: optional(advertisedAddress(), 'How controllers reach it; `bind` when absent.'),
    bindInterface: optional(text(), 'The interface it belongs to; the one that has the host of `bind` when absent.'),
    groups: withDefault(oneOrMore(text()), ['default'], 'The dialer groups of controllers that it is for.'),
    options: subsection(optionsSection, 'How channels with controllers behave.'),
  },
})

/** The control channel: where controllers are, and how to deal with them. */
export const ctrlSection = section({
  keys: {
    endpoint: optional(dialAddress(), 'The first controller. With it `endpoints` is not read.'),
    endpoints: optional(listOf(dialAddress()), 'The first controllers.'),
    endpointsFile: optional(
      text(),
      'The file that keeps what controllers say of each other; once written it wins over `endpoint`. ' +
        '`endpoints.yml` beside this file when absent.',
    ),
    bind: optional(localBinding(), 'The interface that controllers are dialled from.'),
    defaultRequestTimeout: withDefault(duration({ min: 1 }), 5 * second, 'How long a controller may take to answer.'),
    startupTimeout: withDefault(
      duration({ min: 0, belowMin: 'min' }),
      30 * second,
      'How long the router waits for its first controller before it ends; `0` is for ever.',
    ),
    heartbeats: subsection(heartbeatsSection, 'Heartbeats with controllers.'),
    options: subsection(dialOptionsSection, 'How channels with controllers behave.'),
    rateLimiter: subsection(rateLimiterSection, 'Terminators that may be under way at once.'),
    listeners: withDefault(listOf(listenerSection), [], 'Where controllers connect that dial their routers.'),
  },
  ignored: {
    dataDir: 'what controllers say of each other is kept in endpointsFile',
    endpointBindings: 'bind says where controllers are dialled from',
  },
  check(draft, findings) {
    if (draft.endpoint !== undefined && draft.endpoints !== undefined) {
      findings.warning(draft, 'endpoints', 'has no effect beside endpoint')
    }
  },
})
