/**
 * Password hashes: argon2id, in the standard text form that carries its own parameters.
 *
 * Hashing costs memory and time on purpose, so it runs off the event loop, a few at a time, and what would wait too long is
 * refused. A hash with weaker parameters (from an imported database) still verifies and is reported as outdated, so that
 * it can be replaced at that login.
 */
import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'

interface Parameters {
  /** KiB. */
  readonly memory: number
  readonly passes: number
  readonly parallelism: number
}

const current: Parameters = { memory: 19 * 1024, passes: 2, parallelism: 1 }
const SALT_BYTES = 16
const HASH_BYTES = 32
/** An imported hash may not ask for more: verifying it must stay affordable. */
const most: Parameters = { memory: 256 * 1024, passes: 10, parallelism: 16 }

export interface Verdict {
  readonly isRight: boolean
  /** The password is right, but its hash is weaker than what is made today. */
  readonly isOutdated: boolean
}

/** Refused because too many passwords are waiting to be hashed. */
export class HashingBusyError extends Error {
  readonly code = 'HASHING_BUSY'

  constructor() {
    super('too many passwords are waiting to be checked')
    this.name = 'HashingBusyError'
  }
}

export interface PasswordHasherOptions {
  readonly concurrency: number
  readonly maxWaiting: number
  /** Milliseconds after which one that waits is refused instead: well before its caller is answered that it took too long. */
  readonly longestWait?: number
}

const LONGEST_WAIT = 4_000

interface Waiting {
  readonly enter: () => void
  readonly late: NodeJS.Timeout
}

export class PasswordHasher {
  readonly #options: Required<PasswordHasherOptions>
  readonly #waiting: Waiting[] = []
  #running = 0

  constructor(options: PasswordHasherOptions = { concurrency: 2, maxWaiting: 1_000 }) {
    this.#options = { longestWait: LONGEST_WAIT, ...options }
  }

  async hash(password: string): Promise<string> {
    const salt = randomBytes(SALT_BYTES)
    const hash = await this.#compute(password, salt, current, HASH_BYTES)
    const { memory, passes, parallelism } = current
    return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${unpadded(salt)}$${unpadded(hash)}`
  }

  async verify(password: string, stored: string): Promise<Verdict> {
    const parsed = parse(stored)
    if (parsed === undefined) return { isRight: false, isOutdated: false }
    const hash = await this.#compute(password, parsed.salt, parsed, parsed.hash.length)
    const isRight = timingSafeEqual(hash, parsed.hash)
    const isWeaker = parsed.memory < current.memory || parsed.passes < current.passes
    return { isRight, isOutdated: isRight && isWeaker }
  }

  /** Costs what a verification costs, so that an unknown user name takes as long as a known one. */
  async verifyNothing(password: string): Promise<void> {
    await this.#compute(password, randomBytes(SALT_BYTES), current, HASH_BYTES)
  }

  async #compute(password: string, salt: Buffer, parameters: Parameters, tagLength: number): Promise<Buffer> {
    await this.#enter()
    try {
      return await new Promise<Buffer>((resolve, reject) => {
        const message = Buffer.from(password, 'utf8')
        const options = { message, nonce: salt, tagLength, ...parameters }
        argon2('argon2id', options, (error, hash) => (error === null ? resolve(hash) : reject(error)))
      })
    } finally {
      this.#leave()
    }
  }

  #enter(): Promise<void> | undefined {
    if (this.#running < this.#options.concurrency) {
      this.#running++
      return undefined
    }
    if (this.#waiting.length >= this.#options.maxWaiting) throw new HashingBusyError()
    return new Promise((enter, refuse) => {
      const late = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        refuse(new HashingBusyError())
      }, this.#options.longestWait)
      const waiting: Waiting = { enter, late }
      this.#waiting.push(waiting)
    })
  }

  #leave(): void {
    const next = this.#waiting.shift()
    clearTimeout(next?.late)
    if (next === undefined) this.#running--
    else next.enter()
  }
}

const FORM = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,4})\$([A-Za-z0-9+/]{8,128})\$([A-Za-z0-9+/]{16,128})$/

function parse(stored: string): (Parameters & { readonly salt: Buffer; readonly hash: Buffer }) | undefined {
  const found = FORM.exec(stored)
  if (found === null) return undefined
  const [, memory, passes, parallelism, salt, hash] = found
  const parameters = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
  if (parameters.memory > most.memory || parameters.passes > most.passes) return undefined
  if (parameters.parallelism > most.parallelism || parameters.parallelism < 1 || parameters.passes < 1) return undefined
  return { ...parameters, salt: Buffer.from(salt!, 'base64'), hash: Buffer.from(hash!, 'base64') }
}

function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '')
}
