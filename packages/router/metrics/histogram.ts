import { DecayingSample, type SampleDeps } from './decaying-sample.ts'

/** What a histogram says of itself: of lately, except the count, which is of all time. */
export interface Distribution {
  readonly count: number
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly stdDev: number
  readonly variance: number
  readonly p50: number
  readonly p75: number
  readonly p95: number
  readonly p99: number
  readonly p999: number
  readonly p9999: number
}

export class Histogram {
  readonly #sample: DecayingSample
  #count = 0

  constructor(deps: SampleDeps) {
    this.#sample = new DecayingSample(deps)
  }

  get count(): number {
    return this.#count
  }

  update(value: number): void {
    this.#count++
    this.#sample.add(value)
  }

  /** Forgets everything, as when a link stops answering and former latencies mean nothing any more. */
  clear(): void {
    this.#count = 0
    this.#sample.clear()
  }

  distribution(): Distribution {
    const values = this.#sample.sorted()
    const { length } = values
    const mean = length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / length
    const variance = length === 0 ? 0 : values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / length
    return {
      count: this.#count,
      min: values[0] ?? 0,
      max: values[length - 1] ?? 0,
      mean,
      stdDev: Math.sqrt(variance),
      variance,
      p50: percentile(values, 0.5),
      p75: percentile(values, 0.75),
      p95: percentile(values, 0.95),
      p99: percentile(values, 0.99),
      p999: percentile(values, 0.999),
      p9999: percentile(values, 0.9999),
    }
  }
}

/** Between two neighbours the value is in proportion; the place is counted as the peers count it. */
function percentile(sorted: Float64Array, part: number): number {
  const { length } = sorted
  if (length === 0) return 0
  const place = part * (length + 1)
  if (place < 1) return sorted[0]!
  if (place >= length) return sorted[length - 1]!
  const below = sorted[Math.floor(place) - 1]!
  const above = sorted[Math.floor(place)]!
  return below + (place - Math.floor(place)) * (above - below)
}
