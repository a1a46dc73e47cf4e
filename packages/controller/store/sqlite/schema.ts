/**
 * The layout of a store file, and how an older one becomes the present one.
 *
 * A migration is SQL text: the list is the history of the layout, and the version of a store is how many of them it has
 * had. What is in the list stays as it is for ever; a change of the layout is a new last entry.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { StoreError, type StoreHead } from '../store.ts'

/** `Weft` in ASCII, in the header of every store file and every snapshot of one. */
export const applicationId = 0x57656674

/**
 * `rows` keeps a row number of its own: ids are random, and a table ordered by them writes twice as many pages for a
 * creation as one that grows at its end beside a narrow index (measured: 36 against 62 pages for 16 creations at
 * 100,000 rows). `journal.start` is the size in bytes of all entries ever written before this one, so that the size of
 * any stretch of the journal is a subtraction.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE rows (
    seq INTEGER PRIMARY KEY,
    tbl TEXT NOT NULL,
    id TEXT NOT NULL,
    data TEXT NOT NULL,
    UNIQUE (tbl, id)
  ) STRICT;
  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    idx INTEGER NOT NULL,
    ord INTEGER NOT NULL,
    time TEXT NOT NULL,
    cause TEXT NOT NULL,
    tbl TEXT NOT NULL,
    id TEXT NOT NULL,
    before TEXT,
    after TEXT,
    start INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX journal_idx ON journal (idx);
  CREATE TABLE meta (key TEXT PRIMARY KEY, value ANY NOT NULL) STRICT, WITHOUT ROWID;
  INSERT INTO meta (key, value) VALUES ('head', 0), ('pruned', 0);
  `,
]

/** Reads a number that SQLite keeps in the file's header. */
export function readHeader(db: DatabaseSync, field: 'application_id' | 'user_version'): number {
  return Number(db.prepare(`PRAGMA ${field}`).get()?.[field])
}

/** The version of the store in an open file, 0 for an empty file. Refuses what is no store, or one from the future. */
export function recogniseStore(db: DatabaseSync, file: string, known: number): number {
  const application = readHeader(db, 'application_id')
  const version = readHeader(db, 'user_version')
  if (application === 0 && version === 0 && db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined) return 0
  if (application !== applicationId || version < 1) {
    throw new StoreError('STORE_DAMAGED', `${file} is a database, but not a Weft store`)
  }
  if (version > known) {
    throw new StoreError(
      'STORE_NEWER',
      `${file} has schema version ${version} and this Weft knows versions up to ${known}: ` +
        'run the Weft that wrote it, or a newer one, or restore a snapshot taken before the upgrade',
    )
  }
  return version
}

/** Brings an empty or older store to the last migration, all at once or not at all. */
export function migrate(db: DatabaseSync, from: number, steps: readonly string[]): void {
  db.exec('BEGIN IMMEDIATE')
  for (const sql of steps.slice(from)) db.exec(sql)
  if (from === 0) {
    db.exec(`PRAGMA application_id = ${applicationId}`)
    startTimeline(db)
  }
  db.exec(`PRAGMA user_version = ${steps.length}`)
  db.exec('COMMIT')
}

/** Gives the store a timeline that no follower has seen. */
export function startTimeline(db: DatabaseSync): string {
  const timeline = randomUUID()
  db.prepare(
    `INSERT INTO meta (key, value) VALUES ('timeline', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
  ).run(timeline)
  return timeline
}

/** What the store says of itself: its timeline, how far it has come, and where its journal begins. */
export function readMeta(db: DatabaseSync, file: string): Omit<StoreHead, 'schemaVersion'> {
  const read = db.prepare('SELECT value FROM meta WHERE key = ?')
  const timeline = read.get('timeline')?.['value']
  const index = read.get('head')?.['value']
  const prunedUpTo = read.get('pruned')?.['value']
  if (typeof timeline !== 'string' || typeof index !== 'number' || typeof prunedUpTo !== 'number') {
    throw new StoreError('STORE_DAMAGED', `${file} has lost its timeline or its index`)
  }
  return { timeline, index, prunedUpTo }
}
