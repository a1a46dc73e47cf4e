/** Compares what passes with what passed before, as expected.json keeps it. */

export type Expected = {
  /** How many exchanges may be missing in all, because a few depend on timing. */
  readonly tolerance: number
  /** Exchanges that pass, by golden file. */
  readonly passes: Readonly<Record<string, number>>
}

/** The part of the tool's report that is used here. */
export type Report = { readonly files: Readonly<Record<string, { readonly counts: Counts }>> }

type Counts = Readonly<Partial<Record<'same' | 'better' | 'known' | 'differ' | 'skipped', number>>>

export type Shortfall = { readonly file: string; readonly wanted: number; readonly passed: number }

/** The exchanges of each file that are as recorded, or better. */
export function countPasses(report: Report): Record<string, number> {
  const entries = Object.entries(report.files)
  return Object.fromEntries(entries.map(([file, { counts }]) => [file, (counts.same ?? 0) + (counts.better ?? 0)]))
}

/** The files, among those that were run, of which fewer exchanges pass than before. */
export function findShortfalls(expected: Expected, passes: Readonly<Record<string, number>>): Shortfall[] {
  return Object.entries(passes)
    .map(([file, passed]) => ({ file, passed, wanted: expected.passes[file] ?? 0 }))
    .filter(({ passed, wanted }) => passed < wanted)
}

/** For each file the better of two runs. */
export function best(first: Readonly<Record<string, number>>, second: Readonly<Record<string, number>>) {
  const result: Record<string, number> = { ...first }
  for (const [file, count] of Object.entries(second)) result[file] = Math.max(count, result[file] ?? 0)
  return result
}

/** The expectation with every number raised to what passed; none sinks. */
export function raise(expected: Expected, passes: Readonly<Record<string, number>>): Expected {
  const raised = Object.entries(best(expected.passes, passes)).sort(([a], [b]) => (a < b ? -1 : 1))
  return { ...expected, passes: Object.fromEntries(raised) }
}
