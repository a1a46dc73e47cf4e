import {
  decimal,
  duration,
  integer,
  minute,
  optional,
  second,
  section,
  subsection,
  wholeUnits,
  withDefault,
} from '@weft/model/config-file'

const largestCount = 2 ** 32 - 1
// A day in seconds: beyond lies a typing error, and the products stay within what a timer can wait.
const longestSeconds = 86_400

/** How circuits are routed and routers are treated. */
export const networkSection = section({
  keys: {
    createCircuitRetries: withDefault(
      integer({ min: 0, max: largestCount }),
      2,
      'Attempts to build a circuit, at least one.',
    ),
    cycle: withDefault(
      wholeUnits(second, 'seconds', { min: 1, max: longestSeconds }),
      60 * second,
      'How often circuits are judged for better paths.',
      { name: 'cycleSeconds' },
    ),
    routeTimeout: withDefault(
      wholeUnits(second, 'seconds', { min: 1, max: longestSeconds }),
      10 * second,
      'How long a router may take to set up its part of a circuit.',
      { name: 'routeTimeoutSeconds' },
    ),
    pendingLinkTimeout: withDefault(
      wholeUnits(second, 'seconds', { min: 0, max: longestSeconds }),
      10 * second,
      'Accepted; routers dial links by themselves, and a link is there when its router reports it.',
      { name: 'pendingLinkTimeoutSeconds' },
    ),
    initialLinkLatency: withDefault(duration(), 65 * second, 'The latency a link is given until it was measured.'),
    intervalAgeThreshold: optional(duration(), 'Accepted; the controller counts no usage of its own.'),
    metricsReportInterval: withDefault(duration(), minute, 'How often the controller reports its metrics.'),
    minRouterCost: withDefault(integer({ min: 0, max: 65_535 }), 10, 'What each router on a path costs at least.'),
    routerConnectChurnLimit: withDefault(
      duration(),
      minute,
      'How long a router connection is kept from being replaced by a new one; 0 always allows it.',
    ),
    routerMessaging: subsection(
      section({
        keys: {
          queueSize: withDefault(
            integer({ min: 0, max: 1_000_000 }),
            100,
            'Accepted; messages wait in the queues of each channel, `ctrl.options.outQueueSize`.',
          ),
          maxWorkers: withDefault(
            integer({ min: 1, max: 10_000 }),
            100,
            'Accepted; every router is told at the same time.',
          ),
        },
      }),
      'Messages the controller sends to many routers.',
    ),
    smart: subsection(
      section({
        keys: {
          rerouteFraction: withDefault(
            decimal({ min: 0, max: 1 }),
            0.02,
            'The part of slow circuits moved in a cycle.',
          ),
          rerouteCap: withDefault(integer({ min: 0, max: largestCount }), 4, 'The most circuits moved in a cycle.'),
          minCostDelta: withDefault(
            integer({ min: 0, max: largestCount }),
            15,
            'How much cheaper a new path has to be for a circuit to be moved.',
          ),
        },
      }),
      'Moving of circuits to better paths.',
    ),
  },
})
