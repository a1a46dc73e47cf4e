/**
 * Who allocated the memory that is in use: samples, not contents. A snapshot of the heap would hold keys and tokens, and
 * stop the process while it is taken; this does neither.
 */
import { Session } from 'node:inspector/promises'

export class HeapProfile implements AsyncDisposable {
  readonly #session: Session

  private constructor(session: Session) {
    this.#session = session
  }

  /** Samples what is allocated from now on. */
  static async start(): Promise<HeapProfile> {
    const session = new Session()
    session.connect()
    await session.post('HeapProfiler.startSampling')
    return new HeapProfile(session)
  }

  /** What is in use of that now; the text of a file. */
  async read(): Promise<string> {
    const { profile } = await this.#session.post('HeapProfiler.getSamplingProfile')
    return JSON.stringify(profile)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#session.post('HeapProfiler.stopSampling')
    this.#session.disconnect()
  }
}
