/** What a test run prints: a line per file, Node's own report of a file that failed, and Node's closing counts. */
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { spec } from 'node:test/reporters'
import type { Counts, Outcome } from './test-file.ts'

const SLOWEST = 8
const CLOSING: [label: string, count: keyof Counts][] = [
  ['tests', 'tests'],
  ['suites', 'suites'],
  ['pass', 'passed'],
  ['fail', 'failed'],
  ['cancelled', 'cancelled'],
  ['skipped', 'skipped'],
  ['todo', 'todo'],
]

/** Prints the outcome of one file, in full if it failed. */
export async function printOutcome(outcome: Outcome): Promise<void> {
  const { file, isPassed, counts, seconds, events } = outcome
  const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : ''
  console.log(`${isPassed ? '✔' : '✖'} ${file} (${counts.tests} tests${skipped}, ${seconds.toFixed(1)} s)`)
  if (isPassed) return
  // Counts without a file are those of the whole run, which are printed once, at the end.
  const own = events.filter(({ type, data }) => type !== 'test:diagnostic' || data.file !== undefined)
  console.log(await text(Readable.from(own).compose(new spec())))
}

/** Prints which files took longest, which failed, and the counts of all. */
export function printSummary(outcomes: readonly Outcome[], milliseconds: number): void {
  const bySpeed = outcomes.toSorted((a, b) => b.seconds - a.seconds)
  console.log('\nslowest files')
  for (const { file, seconds } of bySpeed.slice(0, SLOWEST)) console.log(`${seconds.toFixed(1).padStart(7)} s  ${file}`)
  const failed = outcomes.filter(({ isPassed }) => !isPassed)
  if (failed.length > 0) console.log('\nfailed files')
  for (const { file } of failed) console.log(`  ✖ ${file}`)
  console.log('')
  for (const [label, count] of CLOSING) {
    console.log(`ℹ ${label} ${outcomes.reduce((sum, { counts }) => sum + counts[count], 0)}`)
  }
  console.log(`ℹ duration_ms ${milliseconds.toFixed(0)}`)
}
