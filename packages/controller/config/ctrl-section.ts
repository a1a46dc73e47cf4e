import {
  decimal,
  duration,
  flag,
  integer,
  listOf,
  minute,
  optional,
  protocolAddress,
  required,
  second,
  section,
  subsection,
  text,
  withDefault,
} from '@weft/model/config-file'
import { channelOptionKeys, heartbeatKeys } from '@weft/model/config-sections'

const largestCount = 2 ** 32 - 1

const heartbeatsSection = section({ keys: heartbeatKeys })

const optionsSection = section({
  keys: {
    advertiseAddress: optional(
      protocolAddress(['tls'], { blank: 'absent' }),
      'The address routers are told to reach this controller at. Required in a clustered file.',
    ),
    newListener: optional(
      protocolAddress(['tls'], { blank: 'absent' }),
      'An address that connected routers are told to use from now on.',
    ),
    ...channelOptionKeys({ isChecked: true }),
    routerHeartbeats: subsection(heartbeatsSection, 'Heartbeats with routers.'),
    peerHeartbeats: subsection(heartbeatsSection, 'Accepted; there are no channels with other controllers.'),
  },
})

const dialerSection = section({
  keys: {
    enabled: withDefault(flag(), false, 'Whether the controller dials routers that advertise a listener for it.'),
    groups: withDefault(listOf(text()), ['default'], 'The listener groups that are dialled.'),
    dialDelay: withDefault(
      duration(),
      30 * second,
      'How long after its start the controller begins: until then routers may connect by themselves.',
    ),
    minRetryInterval: withDefault(
      duration(),
      second,
      'The wait after a lost connection, and the first after a failed dial.',
    ),
    maxRetryInterval: withDefault(
      duration(),
      5 * minute,
      'The longest wait between dials, and so before a router is back that does not dial by itself.',
    ),
    retryBackoffFactor: withDefault(decimal({ min: 1 }), 1.5, 'By how much the wait grows.'),
    fastFailureWindow: withDefault(
      duration(),
      5 * second,
      'A connection lost sooner than this counts as a failed dial.',
    ),
    queueSize: withDefault(
      integer({ min: 1, max: largestCount }),
      32,
      'Dials that may wait for one under way to end; more are put off as if they had failed.',
    ),
    maxWorkers: withDefault(integer({ min: 1, max: largestCount }), 10, 'Dials that may be under way at once.'),
  },
  ignored: { scanInterval: 'routers are dialled when they change, not by scanning' },
})

/** The control channel: where routers connect. */
export const ctrlSection = section({
  keys: {
    listener: required(protocolAddress(['tls'], { isListener: true }), 'Where routers connect.'),
    options: subsection(optionsSection, 'How channels with routers behave.'),
    dialer: subsection(dialerSection, 'Dialling of routers by the controller.'),
  },
})
