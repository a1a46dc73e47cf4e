/**
 * Measures a link for as long as it lives. Controllers make the cost of a link of its latency and of the time that
 * messages wait for it, as both ends report them; one that does not answer gets so high a latency that no path takes it.
 */
import { bodyLengthAt } from '@weft/wire'
import { countMessage } from '../metrics/link-metrics.ts'
import type { Link } from './link.ts'

const interval = 1_000
/** Without an answer for so long, what was measured before means nothing any more. */
const silenceLimit = 30_000
/** What a link that does not answer is said to take, in nanoseconds. */
export const unusableLatency = 8_888_888_888_888
const mostMarkers = 2
const nanosPerMilli = 1_000_000

export class LinkGauge implements Disposable {
  readonly #link: Link
  readonly #timer: NodeJS.Timeout
  readonly #observing = new DisposableStack()
  #markers = 0

  constructor(link: Link) {
    this.#link = link
    this.#timer = setInterval(() => this.#look(), interval).unref()
    const { metrics } = link
    this.#observing.use(
      link.payloadChannel.observe({ answered: (roundTrip) => metrics.latency.update(roundTrip * nanosPerMilli) }),
    )
    // Hot: called for each message. The two are one channel, unless the other router is an old one.
    for (const channel of new Set([link.payloadChannel, link.ackChannel])) {
      this.#observing.use(
        channel.observe({
          received(buffer, start) {
            const bytes = bodyLengthAt(buffer, start)
            countMessage(metrics.received, bytes)
            countMessage(metrics.allReceived, bytes)
          },
          sent(head, start) {
            const bytes = bodyLengthAt(head, start)
            countMessage(metrics.sent, bytes)
            countMessage(metrics.allSent, bytes)
          },
        }),
      )
    }
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer)
    this.#observing[Symbol.dispose]()
  }

  #look(): void {
    const { payloadChannel: channel, metrics } = this.#link
    if (channel.silence > silenceLimit) {
      metrics.latency.clear()
      metrics.latency.update(unusableLatency)
    }
    if (this.#markers >= mostMarkers) return
    this.#markers++
    void channel.measureQueueTime('payload').then((milliseconds) => {
      this.#markers--
      if (milliseconds !== undefined) metrics.queueTime.update(milliseconds * nanosPerMilli)
    })
  }
}
