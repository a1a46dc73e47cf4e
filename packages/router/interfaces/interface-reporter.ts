/**
 * Tells controllers which interfaces this machine has: when that changes, and now and then even if it does not. What
 * could not be told is told at the next look.
 */
import type { Interfaces } from '../config/local-binding.ts'

/** An interface as controllers are told of it. */
export interface ReportedInterface {
  readonly name: string
  readonly hardwareAddress: string
  readonly mtu: number
  readonly index: number
  readonly flags: number
  /** In CIDR form. */
  readonly addresses: readonly string[]
}

export interface InterfaceReporterDeps {
  /** Such as `os.networkInterfaces`. */
  readonly interfaces: () => Interfaces
  /** Whether some controller has taken it. */
  readonly report: (interfaces: readonly ReportedInterface[]) => Promise<boolean>
  /** Milliseconds that never go back. */
  readonly monotonic: () => number
  readonly log: { warn(message: string, fields?: Readonly<Record<string, unknown>>): void }
}

export interface InterfaceReporterOptions {
  /** Milliseconds; likewise `minReportInterval`. */
  readonly checkInterval: number
  readonly minReportInterval: number
}

/** Up 1, loopback 4, running 32: what the platform lists is up and running. */
const flag = { up: 1, loopback: 4, running: 32 } as const
const noHardware = '00:00:00:00:00:00'

/** What the platform does not tell, the size of packets and the number of an interface, is zero. */
export function describeInterfaces(interfaces: Interfaces): readonly ReportedInterface[] {
  return Object.entries(interfaces)
    .map(([name, addresses = []]) => ({
      name,
      hardwareAddress: addresses.map(({ mac }) => mac).find((mac) => mac !== noHardware) ?? '',
      mtu: 0,
      index: 0,
      flags: flag.up | flag.running | (addresses.some(({ internal }) => internal) ? flag.loopback : 0),
      addresses: addresses.map(({ address, cidr }) => cidr ?? address).sort(),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1))
}

export class InterfaceReporter implements AsyncDisposable {
  readonly #deps: InterfaceReporterDeps
  readonly #options: InterfaceReporterOptions
  #told: string | undefined
  #toldAt = 0
  #timer: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined

  constructor(deps: InterfaceReporterDeps, options: InterfaceReporterOptions) {
    this.#deps = deps
    this.#options = options
  }

  start(): this {
    this.#timer ??= setInterval(() => void this.look(), this.#options.checkInterval).unref()
    void this.look()
    return this
  }

  /** Looks now, as when a controller has just connected. A look that is under way is not joined by a second. */
  look(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined
    })
    return this.#looking
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#looking
  }

  async #look(): Promise<void> {
    const { interfaces, report, monotonic, log } = this.#deps
    try {
      const found = describeInterfaces(interfaces())
      const text = JSON.stringify(found)
      const isDue = monotonic() - this.#toldAt >= this.#options.minReportInterval
      if (text === this.#told && !isDue) return
      if (!(await report(found))) return
      this.#told = text
      this.#toldAt = monotonic()
    } catch (err) {
      log.warn('interfaces could not be reported', { err })
    }
  }
}
