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
  wholeUnits,
  withDefault,
} from '@weft/model/config-file'

const largestCount = 2 ** 32 - 1

const heartbeatsSection = section({
  keys: {
    sendInterval: withDefault(duration(), 10 * second, 'How often a heartbeat is due.'),
    checkInterval: withDefault(duration(), second, 'How often it is checked whether one is due.'),
    closeUnresponsiveTimeout: withDefault(
      duration(),
      30 * second,
      'How long without an answer until the channel closes.',
    ),
  },
})

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
    outQueueSize: withDefault(
      integer({ min: 0, max: 1_000_000 }),
      4,
      'Messages that may wait to be sent on a channel.',
    ),
    maxQueuedConnects: withDefault(integer({ min: 1, max: 5_000 }), 1, 'Connections that may wait for their hello.'),
    maxOutstandingConnects: withDefault(integer({ min: 1, max: 1_000 }), 16, 'Hellos that may be under way at once.'),
    connectTimeout: optional(duration({ min: 30, max: minute }), 'How long a hello may take.'),
    connectTimeoutMs: withDefault(
      wholeUnits(1, 'milliseconds', { min: 30, max: minute }),
      5 * second,
      'The former spelling of `connectTimeout`, which wins.',
    ),
    writeTimeout: optional(duration(), 'How long one write may take before the channel closes; none is unlimited.'),
    routerHeartbeats: subsection(heartbeatsSection, 'Heartbeats with routers.'),
    peerHeartbeats: subsection(heartbeatsSection, 'Heartbeats with other controllers.'),
  },
})

const dialerSection = section({
  keys: {
    enabled: withDefault(flag(), false, 'Whether the controller dials routers that advertise a listener for it.'),
    groups: withDefault(listOf(text()), ['default'], 'The listener groups that are dialled.'),
    dialDelay: withDefault(duration(), 30 * second, 'How long a router may take to connect by itself.'),
    minRetryInterval: withDefault(duration(), second, 'The first wait after a failed dial.'),
    maxRetryInterval: withDefault(duration(), 5 * minute, 'The longest wait between dials.'),
    retryBackoffFactor: withDefault(decimal({ min: 1 }), 1.5, 'By how much the wait grows.'),
    fastFailureWindow: withDefault(
      duration(),
      5 * second,
      'A connection lost sooner than this counts as a failed dial.',
    ),
    queueSize: withDefault(integer({ min: 1, max: largestCount }), 32, 'Dials that may wait.'),
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
