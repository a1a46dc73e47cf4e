/** Gives a channel its heartbeat: feeds the machine with what was received, and sends when that has something to send. */
import { type HeaderScan, valueLengthAt } from '../frame/layout.ts'
import type { Heart } from './heartbeat.ts'

const valueLength = 8
/** In this time the answer to a heartbeat may find another message to ride on. Milliseconds. */
const answerDelay = 2

export class Pulse {
  readonly heart: Heart
  readonly #send: () => void
  #isAnswerPlanned = false

  /** `send` queues an empty message; what is due is added when a connection takes it. */
  constructor(heart: Heart, send: () => void) {
    this.heart = heart
    this.#send = send
  }

  /** A frame was received. Gives back the round trip when one has been measured. */
  received(buffer: Buffer, { heartbeat, heartbeatResponse }: HeaderScan): number | undefined {
    if (heartbeat >= 0 && valueLengthAt(buffer, heartbeat) === valueLength) this.#receivedBeat(buffer, heartbeat)
    const isAnswer = heartbeatResponse >= 0 && valueLengthAt(buffer, heartbeatResponse) === valueLength
    return isAnswer ? this.heart.receivedAnswer(buffer, heartbeatResponse) : undefined
  }

  /** False when the peer has been silent for too long. */
  check(): boolean {
    const verdict = this.heart.check()
    if (verdict === 'send') this.#send()
    return verdict !== 'dead'
  }

  #receivedBeat(buffer: Buffer, at: number): void {
    this.heart.receivedBeat(buffer, at)
    if (this.#isAnswerPlanned) return
    this.#isAnswerPlanned = true
    setTimeout(() => {
      this.#isAnswerPlanned = false
      if (this.heart.isOwing) this.#send()
    }, answerDelay).unref()
  }
}
