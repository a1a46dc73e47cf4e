/**
 * Goes through everything the controller knows and names what is wrong with it, while it goes on working.
 *
 *   the engine's own check -> the disk against memory -> references and unique values -> the journal against memory
 *
 * Nothing is changed. Findings about rows that were written meanwhile are dropped (touched-rows.ts).
 */
import type { Clock } from '../clock.ts'
import type { Registry } from '../resource-kit/registry.ts'
import type { Tables } from '../state/tables.ts'
import type { ChangeCause, Writer } from '../state/writer.ts'
import type { Store } from '../store/store.ts'
import { Turns } from '../turns.ts'
import { type Finding, rowKey } from './finding.ts'
import { compareJournaledRows, type JournalVerdict } from './journaled-rows.ts'
import { checkReferences } from './references.ts'
import { compareStoredRows } from './stored-rows.ts'
import { TouchedRows } from './touched-rows.ts'
import { checkUniqueValues } from './unique-values.ts'

export interface ScanDeps {
  readonly store: Store
  readonly tables: Tables
  readonly registry: Registry
  readonly writer: Pick<Writer, 'follow' | 'submit'>
  readonly clock: Clock
}

export interface Scanned {
  readonly findings: readonly Finding[]
  /** There was more to report than there was room for. */
  readonly hasMore: boolean
}

/** Findings that are reported; damage beyond that is for a snapshot to mend. */
export const mostFindings = 1_000

/** The author of whatever a scan or a repair does by itself. */
export const integrityCause: ChangeCause = { author: { type: 'controller', id: 'integrity', name: 'data integrity' } }

export async function scan(deps: ScanDeps, signal: AbortSignal): Promise<Scanned> {
  const { store, writer, clock } = deps
  const turns = new Turns(clock, signal)
  using touched = new TouchedRows(writer)
  await settled(writer)
  const findings = new Findings()
  for (const text of await store.check()) findings.add({ kind: 'engine', text })
  await compareStoredRows(deps, turns, findings.add)
  const wrongNow = new Findings()
  await checkReferences(deps, turns, wrongNow.add)
  await checkUniqueValues(deps, turns, wrongNow.add)
  const verdict = await compareJournaledRows(deps, turns, new Set(wrongNow.list.filter(isDangling).map(rowKey)))
  await settled(writer)
  if (touched.areTooMany) throw new Error('there were too many changes during the scan; try again when it is quieter')
  const isStill = (finding: Finding) => !('id' in finding) || finding.kind === 'dangling' || !touched.has(finding)
  const all = new Findings()
  for (const finding of withImages(findings.list, verdict)) if (isStill(finding)) all.add(finding)
  for (const finding of fromJournal(findings.list, verdict)) if (isStill(finding)) all.add(finding)
  for (const finding of withImages(wrongNow.list, verdict)) all.add(finding)
  return { findings: all.list, hasMore: all.isOverfull || findings.isOverfull || wrongNow.isOverfull }
}

/** What is wrong among the rows in memory alone. */
export async function scanReferences(deps: ScanDeps, signal: AbortSignal): Promise<Scanned> {
  const turns = new Turns(deps.clock, signal)
  const findings = new Findings()
  await checkReferences(deps, turns, findings.add)
  await checkUniqueValues(deps, turns, findings.add)
  return { findings: findings.list, hasMore: findings.isOverfull }
}

class Findings {
  readonly list: Finding[] = []
  isOverfull = false

  readonly add = (finding: Finding): void => {
    if (this.list.length < mostFindings) this.list.push(finding)
    else this.isOverfull = true
  }
}

/** Waits until what was submitted before is in the tables: on the disk it may be there already. */
async function settled(writer: Pick<Writer, 'submit'>): Promise<void> {
  await writer.submit(integrityCause, () => {})
}

function isDangling(finding: Finding): finding is Finding & { kind: 'dangling' } {
  return finding.kind === 'dangling'
}

/** Where the journal can help to mend something, the finding says where. */
function withImages(findings: readonly Finding[], { lost, images }: JournalVerdict): Finding[] {
  return findings.map((finding) => {
    if (finding.kind !== 'unreadable' && finding.kind !== 'dangling') return finding
    const index = (finding.kind === 'unreadable' ? lost : images).get(rowKey(finding))?.index
    return index === undefined ? finding : { ...finding, index }
  })
}

/** Rows that the journal knows differently; one that cannot be read is reported as that. */
function* fromJournal(findings: readonly Finding[], { lost, deleted }: JournalVerdict): Generator<Finding> {
  const unreadable = new Set(findings.filter((finding) => finding.kind === 'unreadable').map(rowKey))
  for (const [key, row] of lost) if (!unreadable.has(key)) yield { kind: 'lost', ...row }
  for (const row of deleted.values()) yield { kind: 'deleted', ...row }
}
