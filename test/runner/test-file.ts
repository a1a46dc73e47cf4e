/** Which test files there are, and how one is run. */
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { run } from 'node:test'

export type Counts = Record<'tests' | 'suites' | 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo', number>

export type TestEvent = { type: string; data: { file?: string; counts?: Counts; success?: boolean } }

export type Outcome = {
  readonly file: string
  readonly isPassed: boolean
  readonly counts: Counts
  readonly seconds: number
  readonly events: readonly TestEvent[]
}

/** What a run takes: what needs nothing from outside, with long ones or without, or only what needs one certain thing. */
export type RunKind = { readonly long?: boolean; readonly peer?: boolean; readonly interop?: boolean }

/** The test files that a kind of run asks for; whole-system tests come first, because they take longest. */
export function findTestFiles(root: string, kind: RunKind): string[] {
  return ['test', 'packages', 'bench', 'setup']
    .flatMap((folder) => globSync(`${folder}/**/*.test.ts`, { cwd: root, exclude: ['**/node_modules/**'] }).sort())
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => {
      if (file.endsWith('.peer.test.ts')) return kind.peer
      if (file.endsWith('.interop.test.ts')) return kind.interop
      return !kind.peer && !kind.interop && (kind.long || !file.endsWith('.long.test.ts'))
    })
}

/**
 * Runs one file in a process of its own. The runner's own time limit is for a single test; a file that does not end,
 * because a test left something open, only falls to the signal here.
 */
export async function runTestFile(root: string, file: string, deadline: number): Promise<Outcome> {
  const started = performance.now()
  const events: TestEvent[] = []
  let total: TestEvent['data'] = {}
  const stream = run({ files: [join(root, file)], cwd: root, signal: AbortSignal.timeout(deadline) })
  for await (const event of stream as AsyncIterable<TestEvent>) {
    if (event.type === 'test:summary' && event.data.file === undefined) total = event.data
    else events.push(event)
  }
  if (total.counts === undefined) throw new Error(`the test runner ended without a summary of ${file}`)
  const seconds = (performance.now() - started) / 1_000
  return { file, isPassed: total.success === true, counts: total.counts, seconds, events }
}
