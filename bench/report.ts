/**
 * The numbers as one table: a line per size and workload, ours beside the other controller, and the ratio with its spread
 * over the rounds.
 */
import { median, quantile } from './load/quantile.ts'
import type { Measured, Round } from './rounds.ts'

export interface Line {
  readonly size: number
  readonly kind: string
  readonly workload: string
  readonly measured: Measured
}

const columns = ['size', 'kind', 'workload'] as const

/** `rate` names what is counted in a second. */
export function table(lines: readonly Line[], [ours, other]: readonly string[], rate = 'req/s'): string {
  const names = other === undefined ? [ours!] : [ours!, other]
  const perContender = [rate, 'p50 ms', 'p99 ms', 'CPU s/1000']
  const head = [...columns, ...names.flatMap((name) => perContender.map((column) => `${name} ${column}`))]
  if (other !== undefined) head.push(`${ours}/${other} ${rate}`, '(least to most)', `${other}/${ours} CPU`)
  const rows = lines.map(({ size, kind, workload, measured }) => {
    const row = [String(size), kind, workload]
    for (const name of names) row.push(...summary(measured.get(name) ?? []))
    if (other !== undefined) row.push(...ratios(measured.get(ours!) ?? [], measured.get(other) ?? []))
    return row
  })
  return aligned([head, ...rows])
}

/** How the slowest hundredth of the answers grew from a small network to a large one, measured in the same rounds. */
export function growth(lines: readonly Line[], small: string, large: string): string {
  const rows = lines.map(({ kind, workload, measured }) => {
    const p99s = [small, large].map((name) => (measured.get(name) ?? []).map(p99))
    const [before, after] = p99s.map(median) as [number, number]
    const each = p99s[1]!.map((value, round) => value / p99s[0]![round]!)
    return [kind, workload, shown(before), shown(after), `${shown(median(each))}x`, spreadOf(each)]
  })
  return aligned([['kind', 'workload', `${small} p99 ms`, `${large} p99 ms`, 'growth', '(least to most)'], ...rows])
}

/** One line for each workload of which some requests were not answered with success; they count for nothing above. */
export function* refusals(lines: readonly Line[]): Generator<string> {
  for (const { size, kind, workload, measured } of lines) {
    for (const [name, rounds] of measured) {
      const refused = rounds.reduce((sum, round) => sum + round.refused, 0)
      const answered = all(rounds).length
      if (refused > 0)
        yield `${name} refused ${refused} of ${refused + answered} requests: ${kind} ${workload} at ${size}`
    }
  }
}

function summary(rounds: readonly Round[]): readonly string[] {
  if (all(rounds).length === 0) return ['-', '-', '-', '-']
  const latencies = all(rounds)
  return [
    median(rounds.map(rateOf)).toFixed(0),
    shown(quantile(latencies, 0.5)),
    shown(quantile(latencies, 0.99)),
    shown(cpuPerThousand(rounds)),
  ]
}

function ratios(ours: readonly Round[], others: readonly Round[]): readonly string[] {
  const each = ours.map((round, at) => rateOf(round) / rateOf(others[at] ?? round)).filter(Number.isFinite)
  if (others.length === 0 || each.length === 0) return ['-', '-', '-']
  return [shown(median(each)), spreadOf(each), shown(cpuPerThousand(others) / cpuPerThousand(ours))]
}

function spreadOf(values: readonly number[]): string {
  return `(${shown(Math.min(...values))} to ${shown(Math.max(...values))})`
}

function p99({ latencies }: Round): number {
  return quantile(latencies, 0.99)
}

function all(rounds: readonly Round[]): readonly number[] {
  return rounds.flatMap(({ latencies }) => latencies)
}

function rateOf({ latencies, seconds }: Round): number {
  return latencies.length / seconds
}

function cpuPerThousand(rounds: readonly Round[]): number {
  const seconds = rounds.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0)
  return (1000 * seconds) / all(rounds).length
}

function shown(value: number): string {
  return Number.isNaN(value) ? '-' : value.toPrecision(3).includes('e') ? value.toFixed(0) : value.toPrecision(3)
}

/** Text to the left, numbers to the right. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)))
  const isText = (column: number) => rows.slice(1).every((row) => Number.isNaN(Number.parseFloat(row[column]!)))
  return rows
    .map((row) =>
      row
        .map((cell, column) => (isText(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
