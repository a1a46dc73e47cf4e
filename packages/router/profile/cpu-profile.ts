/** A CPU profile of this process, in the format that the developer tools of browsers and editors open. */
import { Session } from 'node:inspector/promises'

export class CpuProfile implements AsyncDisposable {
  readonly #session: Session

  private constructor(session: Session) {
    this.#session = session
  }

  static async start(): Promise<CpuProfile> {
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    return new CpuProfile(session)
  }

  /** Ends it; the text of the file. */
  async stop(): Promise<string> {
    const { profile } = await this.#session.post('Profiler.stop')
    return JSON.stringify(profile)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#session.disconnect()
  }
}
