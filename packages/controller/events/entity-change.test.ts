import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Row, TableName } from '../state/row.ts'
import type { Commit } from '../state/writer.ts'
import { type EntityChangeContext, entityChangeEvents } from './entity-change.ts'
import { isProblem, readSubscription } from './subscription.ts'

const time = '2026-08-01T12:00:00.000Z'

function row(id: string, more: object = {}): Row {
  return { id, createdAt: time, updatedAt: time, tags: {}, isSystem: false, ...more }
}

const context: EntityChangeContext = {
  timeline: 'timeline-1',
  version: 'v2.1.0',
  entityType: (table) => ({ services: 'services', 'edge-routers': 'routers' })[table],
  shown: (_table, { id }) => ({ id }),
  shownAsParent: (table, { id }) => (table === 'edge-routers' ? { id, parent: true } : undefined),
}

function commit(changes: readonly { table: string; before?: Row; after?: Row }[], more: Partial<Commit> = {}): Commit {
  return {
    index: 7,
    time,
    cause: { author: { type: 'identity', id: 'i1', name: 'admin' } },
    changes: changes.map(({ table, before, after }) => ({
      table: table as TableName,
      id: (before ?? after)!.id,
      before,
      after,
    })),
    ...more,
  }
}

const brief = (events: ReturnType<typeof entityChangeEvents>) =>
  events.map((event) => `${event.eventType} ${event.entityType}${event.isParentEvent ? ' (parent)' : ''}`)

test('every change is told, then every change is told to be final, under the same id', () => {
  const a = row('a')
  const b = row('b')
  const events = entityChangeEvents(
    commit([
      { table: 'services', after: a },
      { table: 'services', before: a, after: { ...a, isSystem: true } },
      { table: 'services', before: b },
    ]),
    context,
  )
  assert.deepEqual(brief(events), [
    'created services',
    'updated services',
    'deleted services',
    'committed services',
    'committed services',
    'committed services',
  ])
  const ids = events.map(({ eventId }) => eventId)
  assert.deepEqual(ids.slice(0, 3), ids.slice(3))
  assert.equal(new Set(ids).size, 3)
  for (const id of ids) assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
})

test('states are null where the entity did not exist, and are what the context shows', () => {
  const [created, deleted] = entityChangeEvents(
    commit([
      { table: 'services', after: row('a', { secret: 's' }) },
      { table: 'services', before: row('b', { secret: 's' }) },
    ]),
    context,
  )
  assert.partialDeepStrictEqual(created, { initialState: null, finalState: { id: 'a' } })
  assert.partialDeepStrictEqual(deleted, { initialState: { id: 'b' }, finalState: null })
  assert.doesNotMatch(JSON.stringify([created, deleted]), /secret/)
})

test('an entity with a parent type is told twice, as its parent first', () => {
  const events = entityChangeEvents(commit([{ table: 'edge-routers', after: row('r') }]), context)
  assert.deepEqual(brief(events), [
    'created routers (parent)',
    'created routers',
    'committed routers (parent)',
    'committed routers',
  ])
  assert.partialDeepStrictEqual(events[0], { finalState: { id: 'r', parent: true } })
  const subscription = readSubscription({ type: 'entityChange' })
  assert.ok(!isProblem(subscription))
  assert.deepEqual(brief(events.filter((event) => subscription.accepts(event))), [
    'created routers',
    'committed routers',
  ])
})

test('tables without an entity type tell nobody', () => {
  assert.deepEqual(entityChangeEvents(commit([{ table: 'settings', after: row('x') }]), context), [])
})

test('metadata says who and how, and leaves out what is not known', () => {
  const source = { type: 'rest', auth: 'edge', method: 'POST', localAddr: 'localhost:1280', remoteAddr: '127.0.0.1:1' }
  const cause = { author: { type: 'identity', id: 'i1', name: 'admin' }, source, traceId: 't1' }
  const changes = [{ table: 'services', after: row('a') }]
  const [full] = entityChangeEvents(commit(changes, { cause }), context)
  assert.partialDeepStrictEqual(full, {
    timestamp: time,
    metadata: { author: cause.author, raft_index: 7, source, trace_id: 't1', version: 'v2.1.0' },
  })
  const [bare] = entityChangeEvents(
    commit(changes, { cause: { author: { type: 'unattributed', id: '', name: '' } } }),
    context,
  )
  assert.ok(bare?.eventType === 'created')
  assert.deepEqual(bare.metadata, {
    author: { type: 'unattributed' },
    raft_index: 7,
    source: { type: '' },
    version: 'v2.1.0',
  })
})

test('the same place in the journal gives the same events; another timeline or index gives others', () => {
  const changes = [{ table: 'services', after: row('a') }]
  const first = entityChangeEvents(commit(changes), context)
  assert.deepEqual(entityChangeEvents(commit(changes), context), first)
  const restored = entityChangeEvents(commit(changes), { ...context, timeline: 'timeline-2' })
  const next = entityChangeEvents(commit(changes, { index: 8 }), context)
  assert.equal(new Set([first, restored, next].map(([event]) => event!.eventId)).size, 3)
})
