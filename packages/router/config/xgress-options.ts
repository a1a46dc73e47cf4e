/**
 * The options of every binding that ends circuits: how much is under way at once, and when it is sent again. Names and
 * numbers are those of the peers, because both ends of a circuit have to agree on what is usual.
 */
import {
  decimal,
  duration,
  flag,
  integer,
  minute,
  optional,
  second,
  wholeUnits,
  withDefault,
} from '@weft/model/config-file'

const mebibyte = 1_048_576
const mostBytes = 1_024 * mebibyte
const longestMilliseconds = 86_400_000
const bytes = (min = 1) => integer({ min, max: mostBytes })
const count = (min: number) => integer({ min, max: 1_000_000 })
const milliseconds = () => wholeUnits(1, 'milliseconds', { min: 0, max: longestMilliseconds })

export const xgressOptionKeys = {
  mtu: withDefault(bytes(0), 0, 'Cuts data into frames of this many bytes, for paths over DTLS alone; 0 does not.'),
  randomDrops: withDefault(flag(), false, 'For tests: drops data at random.'),
  drop1InN: withDefault(integer({ min: 1 }), 100, 'For tests: one in how many is dropped.'),
  txQueueSize: withDefault(
    integer({ min: 1, belowMin: 'min', max: 1_000_000 }),
    1,
    'Data in order that may wait for whoever reads.',
  ),
  txPortalStartSize: withDefault(bytes(), 4 * mebibyte, 'The first send window, in bytes.'),
  txPortalMinSize: withDefault(bytes(), 16_384, 'The smallest send window.'),
  txPortalMaxSize: withDefault(bytes(), 4 * mebibyte, 'The largest send window.'),
  txPortalIncreaseThresh: withDefault(count(1), 28, 'Acknowledgements until the window grows.'),
  txPortalIncreaseScale: withDefault(decimal({ min: 0 }), 1, 'By how much of what was acknowledged it grows.'),
  txPortalRetxThresh: withDefault(count(1), 64, 'Retransmissions until the window shrinks.'),
  txPortalRetxScale: withDefault(decimal({ min: 0, max: 1 }), 0.75, 'By how much it shrinks.'),
  txPortalDupAckThresh: withDefault(count(1), 64, 'Repeated acknowledgements until retransmission waits longer.'),
  txPortalDupAckScale: withDefault(decimal({ min: 0 }), 0.9, 'Accepted; the peers do not use it either.'),
  rxBufferSize: withDefault(bytes(), 4 * mebibyte, 'Bytes that may wait at the receiving end.'),
  retxStart: withDefault(milliseconds(), 200, 'When data is sent again before a round trip was measured.', {
    name: 'retxStartMs',
  }),
  retxScale: withDefault(decimal({ min: 0 }), 1.5, 'By how many round trips it waits at least.'),
  retxAdd: withDefault(milliseconds(), 0, 'What is added to that.', { name: 'retxAddMs' }),
  retxMax: withDefault(milliseconds(), 10 * second, 'The longest wait; 0 is unlimited.', { name: 'retxMaxMs' }),
  maxRttScale: withDefault(integer({ min: 0, max: 1_000 }), 4, 'By how much a round trip may grow at once; 0 is any.'),
  maxCloseWait: withDefault(milliseconds(), 30 * second, 'How long an end waits for what is not acknowledged.', {
    name: 'maxCloseWaitMs',
  }),
  getCircuitTimeout: withDefault(duration(), 30 * second, 'How long a controller may take to make a circuit.'),
  circuitStartTimeout: withDefault(
    duration(),
    3 * minute,
    'How long the far end waits for a circuit to start; 1s and less is for ever.',
  ),
}

/** How long a dial may take, where the operating system should not decide it. */
export const dialTimeoutKey = { connectTimeout: optional(duration(), 'How long a dial may take.') }

/** Keys of former versions. */
export const formerXgressOptions = {
  retransmission: 'data that is lost is always sent again',
  getSessionTimeout: 'getCircuitTimeout is its successor',
}
