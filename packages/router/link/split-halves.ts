/** Brings the two connections of a split link together: routers before 1.6.6 dial payloads and acknowledgements apart. */
import { type Channel, HelloRefusal } from '@weft/wire'
import { splitHalf } from '@weft/wire/messages'

interface Waiting {
  readonly half: number
  readonly channel: Channel
}

export interface SplitPair {
  readonly payload: Channel
  readonly ack: Channel
}

/** A half that stays alone for so long is given up. */
const patience = 30_000
const mostWaiting = 1_000

export class SplitHalves implements Disposable {
  readonly #waiting = new Map<string, Waiting>()

  /** The pair that a half completes; undefined while the other is missing. Throws when there is no use for it. */
  add(connectionId: string, half: number, channel: Channel): SplitPair | undefined {
    if (half !== splitHalf.payload && half !== splitHalf.ack)
      throw new HelloRefusal(`there is no half ${half} of a link`)
    const other = this.#waiting.get(connectionId)
    if (other !== undefined && !other.channel.isClosed) {
      if (other.half === half) throw new HelloRefusal('this half of the link is there already')
      this.#waiting.delete(connectionId)
      return half === splitHalf.payload
        ? { payload: channel, ack: other.channel }
        : { payload: other.channel, ack: channel }
    }
    if (this.#waiting.size >= mostWaiting) throw new HelloRefusal('too many halves of links wait for the other')
    const waiting = { half, channel }
    this.#waiting.set(connectionId, waiting)
    const giveUp = setTimeout(() => {
      if (this.#waiting.get(connectionId) === waiting) channel.close()
    }, patience).unref()
    void channel.closed.then(() => {
      clearTimeout(giveUp)
      if (this.#waiting.get(connectionId) === waiting) this.#waiting.delete(connectionId)
    })
    return undefined
  }

  [Symbol.dispose](): void {
    for (const { channel } of this.#waiting.values()) channel.close()
  }
}
