/**
 * From one committed transaction to its entityChange events.
 *
 * As with the peers, every change has its own event id and comes twice: first what changed, then, after all changes of
 * the transaction, that it is final. A pure function: the id is derived from the place in the journal, so whoever
 * replays the journal makes the same events again and consumers can tell.
 */
import { createHash } from 'node:crypto'
import type { Row } from '../state/row.ts'
import type { RowChange } from '../state/view.ts'
import type { ChangeCause, Commit } from '../state/writer.ts'
import type { ChangeMetadata, EntityChangedEvent, EntityChangeEvent } from './event-types.ts'

export interface EntityChangeContext {
  /** The store's timeline: the same index means another change after a restore. */
  readonly timeline: string
  /** The version the network knows this controller by. */
  readonly version: string
  /** The peers' name for what a table holds (`services`, `routers`, …); undefined for tables that tell nobody. */
  entityType(table: string): string | undefined
  /** A row as events may show it: without secrets, with the members peers show. */
  shown(table: string, row: Row): unknown
  /** What an entity shares with its parent type, for tables that have one; undefined for all others. */
  shownAsParent?(table: string, row: Row): unknown
}

/** The events of a transaction, in the order they are to be emitted. */
export function entityChangeEvents(commit: Commit, context: EntityChangeContext): EntityChangeEvent[] {
  const metadata = changeMetadata(commit.cause, commit.index, context.version)
  const changed: EntityChangedEvent[] = []
  const add = (event: Pick<EntityChangedEvent, 'eventType' | 'entityType' | 'isParentEvent'> & States) => {
    const eventId = changeId(context.timeline, commit.index, changed.length)
    const { eventType, entityType, isParentEvent, initialState, finalState } = event
    const header = { namespace: 'entityChange', timestamp: commit.time, eventId, eventType, metadata } as const
    changed.push({ ...header, entityType, isParentEvent, initialState, finalState })
  }
  for (const change of commit.changes) {
    const entityType = context.entityType(change.table)
    if (entityType === undefined) continue
    const eventType = typeOf(change)
    const parent = statesOf(change, context.shownAsParent)
    if (parent.initialState !== null || parent.finalState !== null) {
      add({ eventType, entityType, isParentEvent: true, ...parent })
    }
    add({ eventType, entityType, isParentEvent: false, ...statesOf(change, context.shown) })
  }
  return [...changed, ...changed.map(committed)]
}

interface States {
  readonly initialState: unknown
  readonly finalState: unknown
}

function statesOf({ table, before, after }: RowChange, show: EntityChangeContext['shownAsParent']): States {
  return {
    initialState: (before && show?.(table, before)) ?? null,
    finalState: (after && show?.(table, after)) ?? null,
  }
}

function typeOf({ before, after }: RowChange): EntityChangedEvent['eventType'] {
  if (before === undefined) return 'created'
  return after === undefined ? 'deleted' : 'updated'
}

function committed(event: EntityChangedEvent): EntityChangeEvent {
  const { namespace, timestamp, eventId, entityType, isParentEvent } = event
  return { namespace, timestamp, eventId, eventType: 'committed', entityType, isParentEvent }
}

/** Empty members are left out, as the peers do. */
function changeMetadata(cause: ChangeCause, index: number, version: string): ChangeMetadata {
  const { author, source, traceId } = cause
  return {
    author: { type: author.type, ...filled({ id: author.id, name: author.name }) },
    raft_index: index,
    source: {
      type: source?.type ?? '',
      ...filled({
        auth: source?.auth,
        localAddr: source?.localAddr,
        remoteAddr: source?.remoteAddr,
        method: source?.method,
      }),
    },
    ...filled({ trace_id: traceId }),
    version,
  }
}

function filled<T extends Readonly<Record<string, string | undefined>>>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value)) as Partial<T>
}

/** A version 8 UUID: the peers' ids are UUIDs, and version 8 says that it was made by a rule of our own. */
function changeId(timeline: string, index: number, ordinal: number): string {
  const hash = createHash('sha256').update(`${timeline}/${index}/${ordinal}`).digest()
  hash[6] = (hash[6]! & 0x0f) | 0x80
  hash[8] = (hash[8]! & 0x3f) | 0x80
  const hex = hash.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-')
}
