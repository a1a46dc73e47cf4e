import { integer, second, section, wholeUnits, withDefault } from '@weft/model/config-file'

const longest = 86_400_000
const milliseconds = (min = 0) => wholeUnits(1, 'milliseconds', { min, max: longest })
/** Some of the peers' files say "off" with a negative number. */
const interval = () => wholeUnits(1, 'milliseconds', { min: -longest, max: longest })
const most = { queue: 10_000, workers: 10_000 }
const queue = (max = most.queue) => integer({ min: 1, max })
const workers = () => integer({ min: 1, max: most.workers })

/** How circuits are set up, watched and taken down. */
export const forwarderSection = section({
  keys: {
    faultTxInterval: withDefault(
      interval(),
      15 * second,
      'How often data that had nowhere to go is reported; 0 is never.',
    ),
    idleCircuitTimeout: withDefault(milliseconds(), 60 * second, 'When a circuit without data is reported as idle.'),
    idleTxInterval: withDefault(interval(), 60 * second, 'How often idle circuits are looked for; 0 is never.'),
    latencyProbeInterval: withDefault(
      milliseconds(),
      0,
      "How often the latency of links is measured; below 100, 100 is used. 0 is as often as links' heartbeats.",
    ),
    linkDialQueueLength: withDefault(queue(), 1_000, 'Links that may wait to be dialled.'),
    linkDialWorkerCount: withDefault(workers(), 32, 'Links that may be dialled at once.'),
    rateLimitedQueueLength: withDefault(queue(50_000), 5_000, 'Messages about terminators and links that may wait.'),
    rateLimitedWorkerCount: withDefault(workers(), 5, 'Messages about terminators and links under way at once.'),
    xgressCloseCheckInterval: withDefault(
      milliseconds(1),
      5 * second,
      'How long a circuit must be quiet before it is taken down.',
    ),
    xgressDialDwellTime: withDefault(milliseconds(), 0, 'For tests: a wait before each dial of a host.'),
    xgressDialQueueLength: withDefault(queue(), 1_000, 'Hosts that may wait to be dialled.'),
    xgressDialWorkerCount: withDefault(workers(), 128, 'Hosts that may be dialled at once.'),
  },
  ignored: { unresponsiveLinkTimeout: 'link.heartbeats.closeUnresponsiveTimeout says so' },
})
