/**
 * Runs of the integrity scan, one at a time, in the background, with the outcome of the last one at hand.
 *
 * A run that also mends takes a snapshot first: whatever it does can be looked up, and taken back.
 */
import { type Clock, timestamp } from '../clock.ts'
import type { Snapshots } from '../core/snapshots.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { Registry } from '../resource-kit/registry.ts'
import type { Tables } from '../state/tables.ts'
import type { Writer } from '../state/writer.ts'
import type { Store } from '../store/store.ts'
import { describeFinding, type Finding } from './finding.ts'
import { Repair } from './repair.ts'
import { mostFindings, scan, scanReferences } from './scan.ts'

export interface IntegrityDeps {
  readonly store: Store
  readonly tables: Tables
  readonly registry: Registry
  readonly writer: Writer
  readonly kit: Kit
  readonly snapshots: Pick<Snapshots, 'takeNow'>
  readonly clock: Clock
  readonly log: Logger
}

export type RunKind = 'check' | 'fix'

/** One finding, as it is told. */
export interface IntegrityResult {
  readonly description: string
  readonly fixed: boolean
}

export interface IntegrityReport {
  readonly inProgress: boolean
  readonly fixingErrors: boolean
  readonly tooManyErrors: boolean
  readonly startTime: string | null
  readonly endTime: string | null
  readonly error: string | null
  readonly results: readonly IntegrityResult[]
}

const nothingYet: IntegrityReport = {
  inProgress: false,
  fixingErrors: false,
  tooManyErrors: false,
  startTime: null,
  endTime: null,
  error: null,
  results: [],
}

/** Mutations that wait for the same commit. */
const mendedAtOnce = 100

/** What mending brings to light is mended too, this many times over. */
const mostRounds = 4

export class IntegrityRuns implements AsyncDisposable {
  readonly #deps: IntegrityDeps
  readonly #ending = new AbortController()
  #report = nothingYet
  #running: Promise<void> | undefined

  constructor(deps: IntegrityDeps) {
    this.#deps = deps
  }

  /** The last run, or the one under way. */
  get report(): IntegrityReport {
    return this.#report
  }

  /** Begins a run; false when one is under way. */
  start(kind: RunKind): boolean {
    if (this.#running !== undefined || this.#ending.signal.aborted) return false
    const { clock } = this.#deps
    this.#report = {
      ...nothingYet,
      inProgress: true,
      fixingErrors: kind === 'fix',
      startTime: timestamp(clock.now()),
    }
    this.#running = this.#run(kind)
    return true
  }

  /** Waits for the run under way, if there is one. */
  async finished(): Promise<void> {
    await this.#running
  }

  /** Ends a run between two of its steps: what is mended stays mended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort(new Error('the controller is stopping'))
    await this.#running
  }

  async #run(kind: RunKind): Promise<void> {
    const { clock, log } = this.#deps
    let outcome: Partial<IntegrityReport> = {}
    try {
      outcome = kind === 'check' ? await this.#check() : await this.#fix()
      log.info('data integrity: run ended', { kind, findings: outcome.results?.length })
    } catch (err) {
      outcome = { error: err instanceof Error ? err.message : String(err) }
      log.error('data integrity: run failed', { kind, err })
    }
    this.#report = { ...this.#report, ...outcome, inProgress: false, endTime: timestamp(clock.now()) }
    this.#running = undefined
  }

  async #check(): Promise<Partial<IntegrityReport>> {
    const { findings, hasMore } = await scan(this.#deps, this.#ending.signal)
    const results = findings.map((finding) => ({ description: describeFinding(finding), fixed: false }))
    return { results, tooManyErrors: hasMore }
  }

  async #fix(): Promise<Partial<IntegrityReport>> {
    const { store, log, snapshots } = this.#deps
    const { signal } = this.#ending
    const first = await scan(this.#deps, signal)
    if (first.findings.length === 0) return { results: [] }
    const snapshot = await snapshots.takeNow()
    log.info('data integrity: snapshot taken before mending', { snapshot })
    await store.acceptForeignWrites()
    const results = await this.#mend(first.findings)
    let { hasMore } = first
    for (let round = 1; round < mostRounds && results.length < mostFindings; round++) {
      const next = await scanReferences(this.#deps, signal)
      if (next.findings.length === 0) break
      const known = new Set(results.map(({ description }) => description))
      const news = next.findings.filter((finding) => !known.has(describeFinding(finding)))
      if (news.length === 0) break
      results.push(...(await this.#mend(news.slice(0, mostFindings - results.length))))
      hasMore ||= next.hasMore
    }
    return { results, tooManyErrors: hasMore }
  }

  /** Rows first, then what points at them: the order in which a scan reports. */
  async #mend(findings: readonly Finding[]): Promise<IntegrityResult[]> {
    const repair = new Repair(this.#deps)
    const results: IntegrityResult[] = []
    for (const group of groups(findings)) {
      this.#ending.signal.throwIfAborted()
      const fixed = await Promise.all(group.map((finding) => repair.mend(finding)))
      for (const [at, finding] of group.entries()) {
        results.push({ description: describeFinding(finding), fixed: fixed[at]! })
      }
    }
    return results
  }
}

/** Findings of one kind that follow each other, a bounded number at a time. */
function* groups(findings: readonly Finding[]): Generator<Finding[]> {
  let group: Finding[] = []
  for (const finding of findings) {
    if (group.length === mendedAtOnce || (group[0] && group[0].kind !== finding.kind)) {
      yield group
      group = []
    }
    group.push(finding)
  }
  if (group.length > 0) yield group
}
