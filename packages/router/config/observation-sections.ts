/**
 * How the router can be looked at: metrics, health, traces and profiles.
 */
import {
  duration,
  flag,
  hour,
  integer,
  minute,
  optional,
  required,
  second,
  section,
  subsection,
  text,
  wholeUnits,
  withDefault,
} from '@weft/model/config-file'

/** The peers start with what they cannot read of these. */
export const tolerated = { ifWrong: 'warn' } as const

export const metricsSection = section({
  keys: {
    reportInterval: withDefault(duration({ min: 1 }), minute, 'How often controllers are sent the metrics.'),
    intervalAgeThreshold: withDefault(duration(), 80 * second, 'Accepted; usage is sent when its interval is over.'),
    messageQueueSize: withDefault(
      integer({ min: 1, belowMin: 'min', max: 10_000, aboveMax: 'max' }),
      10,
      'Metrics that may wait to be sent.',
    ),
    eventQueueSize: withDefault(
      integer({ min: 16, belowMin: 'min', max: 1_000_000 }),
      256,
      'Accepted; usage is counted without a queue.',
    ),
    enableDataDelayMetric: withDefault(
      flag(),
      false,
      'Whether data of clients that waits for long is measured.',
      tolerated,
    ),
  },
})

export const healthChecksSection = section({
  keys: {
    ctrlPingCheck: subsection(
      section({
        keys: {
          interval: withDefault(duration({ min: 1 }), 30 * second, 'How often it is looked.'),
          timeout: withDefault(duration({ min: 1 }), 15 * second, 'How long a look may take.'),
          initialDelay: withDefault(duration(), 15 * second, 'When it is looked first.'),
        },
      }),
      'The check that a controller answers, `controllerPing`.',
      tolerated,
    ),
    linkCheck: subsection(
      section({
        keys: {
          interval: withDefault(duration({ min: 1 }), 5 * second, 'How often it is looked.'),
          initialDelay: withDefault(duration(), second, 'When it is looked first.'),
          minLinks: withDefault(integer({ min: 0, max: 100_000 }), 0, 'With fewer links the router is not healthy.'),
        },
      }),
      'The check that links are there, `link.health`.',
      tolerated,
    ),
  },
})

export const connectEventsSection = section({
  keys: {
    enabled: withDefault(
      flag(),
      true,
      'Whether each connection is told, rather than only whether there is one.',
      tolerated,
    ),
    batchInterval: withDefault(
      duration({ min: 250, belowMin: 'min', max: 10 * minute, aboveMax: 'max' }),
      3 * second,
      'How often they are told.',
      tolerated,
    ),
    fullSyncInterval: withDefault(
      duration({ min: second, belowMin: 'min', max: 24 * hour, aboveMax: 'max' }),
      5 * minute,
      'How often all are told again.',
      tolerated,
    ),
    maxQueuedEvents: withDefault(
      integer({ min: 0, belowMin: 'min', max: 10_000_000, aboveMax: 'max' }),
      100_000,
      'How many may wait to be told.',
      tolerated,
    ),
  },
})

export const interfaceDiscoverySection = section({
  keys: {
    disabled: withDefault(flag(), false, 'Whether controllers are told of the interfaces of this machine.', tolerated),
    checkInterval: withDefault(duration({ min: 1 }), minute, 'How often they are looked at.'),
    minReportInterval: withDefault(duration({ min: 1 }), 24 * hour, 'How often they are told even without a change.'),
  },
})

export const traceSection = section({
  keys: { path: optional(text(), 'The file for messages of the control channel; it is emptied at start.') },
})

export const profileSection = section({
  keys: {
    cpu: optional(section({ keys: { path: required(text(), 'The file for a CPU profile.') } }), 'CPU.', tolerated),
    memory: optional(
      section({
        keys: {
          path: required(text(), 'The file for a memory profile.'),
          interval: withDefault(
            wholeUnits(1, 'milliseconds', { min: 1, max: 86_400_000 }),
            15 * second,
            'How often it is written.',
            { name: 'intervalMs' },
          ),
        },
      }),
      'Memory.',
      tolerated,
    ),
  },
})
