/**
 * Hot (bench/control.ts): a message of a router's metrics, read by parts. Of the thousands of values that a router of a
 * large mesh sends every few seconds the controller itself needs one for each link; all of them are read only where
 * somebody follows metrics. Every part is found in the bytes as they came, and throws `ProtobufError`.
 */
import { ProtoReader, standsAt, wireType } from '../protobuf/proto-reader.ts'
import { histogram, type MetricsMessage, metricsMessage, type OwnMetrics, ownMetrics, propagation } from './metrics.ts'

const tagOf = (number: number, type: number) => (number << 3) | type

const HISTOGRAM = tagOf(metricsMessage.fields.histograms[0], wireType.delimited)
const MEAN = tagOf(histogram.fields.mean[0], wireType.fixed64)
const KEY = tagOf(1, wireType.delimited)
const VALUE = tagOf(2, wireType.delimited)
/** More than a router has links, twice over. */
const MOST_HISTOGRAMS = 100_000

const LINK = Buffer.from('link.')
const LATENCY = Buffer.from('.latency')
const QUEUE_TIME = Buffer.from('.queue_time')

export class MetricsReport {
  readonly #bytes: Buffer

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** Of several controllers one passes metrics on: the one that gets them without this. */
  get isForAnother(): boolean {
    return propagation.decode(this.#bytes).doNotPropagate
  }

  /** By link, in nanoseconds: the means of how long a message takes, and of how long it waited to be sent. */
  linkLatencies(): Map<string, number> {
    const latencies = new Map<string, number>()
    const waits = new Map<string, number>()
    const reader = new ProtoReader(this.#bytes, MOST_HISTOGRAMS)
    while (reader.position < reader.end) {
      const tag = reader.tag()
      if (tag === HISTOGRAM) takeHistogram(reader, latencies, waits)
      else reader.skip(tag & 7)
    }
    for (const [linkId, wait] of waits) {
      const latency = latencies.get(linkId)
      if (latency !== undefined) latencies.set(linkId, latency + wait)
    }
    return latencies
  }

  /** Without what is about single links. */
  ofRouter(): OwnMetrics {
    return ownMetrics.decode(this.#bytes)
  }

  whole(): MetricsMessage {
    return metricsMessage.decode(this.#bytes)
  }
}

/** Names are compared where they stand: of most nothing is wanted, and of the others a part. */
function takeHistogram(reader: ProtoReader, latencies: Map<string, number>, waits: Map<string, number>): void {
  reader.chargeItem()
  let from = 0
  let to = 0
  let mean = 0
  const outerEnd = reader.enter()
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === KEY) {
      from = reader.pass()
      to = reader.position
    } else if (tag === VALUE) mean = readMean(reader)
    else reader.skip(tag & 7)
  }
  reader.leave(outerEnd)
  const { bytes } = reader
  if (to - from < LINK.length || !standsAt(bytes, from, LINK)) return
  if (endsWith(bytes, from, to, LATENCY)) latencies.set(idIn(bytes, from, to - LATENCY.length), mean)
  // A wait of nothing is what an idle link has: nothing is added then.
  else if (mean !== 0 && endsWith(bytes, from, to, QUEUE_TIME))
    waits.set(idIn(bytes, from, to - QUEUE_TIME.length), mean)
}

function endsWith(bytes: Buffer, from: number, to: number, end: Buffer): boolean {
  return to - from >= LINK.length + end.length && standsAt(bytes, to - end.length, end)
}

function idIn(bytes: Buffer, from: number, to: number): string {
  return bytes.toString('utf8', from + LINK.length, to)
}

function readMean(reader: ProtoReader): number {
  let mean = 0
  const outerEnd = reader.enter()
  while (reader.position < reader.end) {
    const tag = reader.tag()
    if (tag === MEAN) mean = reader.double()
    else reader.skip(tag & 7)
  }
  reader.leave(outerEnd)
  return mean
}
