/**
 * Everything a router measures, by name. Whoever measures asks for an instrument once and keeps it; whoever reports asks
 * for a snapshot. What belongs to something that ends, such as a link, is given back with it.
 */
import type { SampleDeps } from './decaying-sample.ts'
import { type Distribution, Histogram } from './histogram.ts'
import { Meter, type Rates, tickInterval } from './meter.ts'

/** A gauge is read when somebody looks. */
export type Gauge = () => number

/** Durations in nanoseconds, and how often there was one. */
export class Timer {
  readonly histogram: Histogram
  readonly meter: Meter

  constructor(deps: SampleDeps) {
    this.histogram = new Histogram(deps)
    this.meter = new Meter(deps.monotonic)
  }

  update(nanoseconds: number): void {
    this.histogram.update(nanoseconds)
    this.meter.mark()
  }
}

/** All numbers of one moment. */
export interface MetricsSnapshot {
  readonly gauges: ReadonlyMap<string, number>
  readonly meters: ReadonlyMap<string, Rates>
  readonly histograms: ReadonlyMap<string, Distribution>
  readonly timers: ReadonlyMap<string, Distribution & Rates>
}

type Instrument = Gauge | Meter | Histogram | Timer

export class MetricsRegistry implements Disposable {
  readonly #deps: SampleDeps
  readonly #instruments = new Map<string, Instrument>()
  #ticking: NodeJS.Timeout | undefined

  constructor(deps: SampleDeps) {
    this.#deps = deps
  }

  /** Lets rates follow time. */
  start(): this {
    this.#ticking ??= setInterval(() => this.tick(), tickInterval).unref()
    return this
  }

  [Symbol.dispose](): void {
    clearInterval(this.#ticking)
    this.#ticking = undefined
  }

  /** The one of this name, made when it is asked for first. Throws for a name that is another instrument's. */
  meter(name: string): Meter {
    return this.#instrument(name, Meter, () => new Meter(this.#deps.monotonic))
  }

  histogram(name: string): Histogram {
    return this.#instrument(name, Histogram, () => new Histogram(this.#deps))
  }

  timer(name: string): Timer {
    return this.#instrument(name, Timer, () => new Timer(this.#deps))
  }

  /** Replaces the one of this name. */
  gauge(name: string, read: Gauge): void {
    const known = this.#instruments.get(name)
    if (known !== undefined && typeof known !== 'function') throw new Error(`${name} is another kind of metric`)
    this.#instruments.set(name, read)
  }

  remove(name: string): void {
    this.#instruments.delete(name)
  }

  get size(): number {
    return this.#instruments.size
  }

  tick(): void {
    for (const instrument of this.#instruments.values()) {
      if (instrument instanceof Meter) instrument.tick()
      else if (instrument instanceof Timer) instrument.meter.tick()
    }
  }

  snapshot(): MetricsSnapshot {
    const gauges = new Map<string, number>()
    const meters = new Map<string, Rates>()
    const histograms = new Map<string, Distribution>()
    const timers = new Map<string, Distribution & Rates>()
    for (const [name, instrument] of this.#instruments) {
      if (instrument instanceof Meter) meters.set(name, instrument.rates())
      else if (instrument instanceof Histogram) histograms.set(name, instrument.distribution())
      else if (instrument instanceof Timer) {
        timers.set(name, { ...instrument.meter.rates(), ...instrument.histogram.distribution() })
      } else gauges.set(name, instrument())
    }
    return { gauges, meters, histograms, timers }
  }

  #instrument<T extends Instrument>(name: string, kind: new (...args: never[]) => T, make: () => T): T {
    const known = this.#instruments.get(name)
    if (known instanceof kind) return known
    if (known !== undefined) throw new Error(`${name} is another kind of metric`)
    const made = make()
    this.#instruments.set(name, made)
    return made
  }
}
