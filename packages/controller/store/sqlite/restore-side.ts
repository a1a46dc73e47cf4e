/** Puts a snapshot in the place of a store, in a thread of its own. */
import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../store.ts'
import { openUntouched } from './connection.ts'
import { syncFile, syncFolderOf } from './durable-file.ts'
import { takeOwnership } from './ownership.ts'
import { readMeta, recogniseStore, startTimeline } from './schema.ts'
import { writeSnapshot } from './snapshot-file.ts'
import { storeErrorFrom } from './sqlite-error.ts'

export interface RestoreOptions {
  readonly snapshot: string
  readonly file: string
  /** Names what is replaced. */
  readonly stamp: string
  /** The newest schema version this Weft knows. */
  readonly knownVersion: number
}

/** What a restored store starts from. */
export interface Restored {
  readonly timeline: string
  readonly index: number
  /** Where the store that was there before is kept; null when there was none. */
  readonly replaced: string | null
}

export class RestoreSide {
  restore(options: RestoreOptions): Restored {
    try {
      using _ownership = takeOwnership(options.file)
      return replaceStore(options)
    } catch (error) {
      throw storeErrorFrom(error, `restore ${options.snapshot} to`, options.file)
    }
  }

  /** Nothing is kept open between calls. */
  close(): void {}
}

/**
 * The file is the old store or the new one at every instant. The old one is copied aside before it is replaced, with its
 * log if it is too damaged to take it in.
 */
function replaceStore({ snapshot, file, stamp, knownVersion }: RestoreOptions): Restored {
  const prepared = `${file}-restoring`
  rmSync(prepared, { force: true })
  try {
    copyVerified(snapshot, prepared, knownVersion)
    const head = onNewTimeline(prepared)
    const replaced = existsSync(file) ? keepAside(file, `${file}-replaced-${stamp}`) : null
    renameSync(prepared, file)
    syncFolderOf(file)
    return { ...head, replaced }
  } finally {
    rmSync(prepared, { force: true })
  }
}

function copyVerified(snapshot: string, copy: string, knownVersion: number): void {
  if (!existsSync(snapshot)) throw new StoreError('STORE_FAILED', `there is no snapshot ${snapshot}`)
  try {
    using db = new DatabaseSync(snapshot, { readOnly: true })
    if (recogniseStore(db, snapshot, knownVersion) === 0) throw new StoreError('STORE_DAMAGED', `${snapshot} is empty`)
    const [finding] = db.prepare('PRAGMA integrity_check(1)').all()
    if (finding?.['integrity_check'] !== 'ok') {
      throw new StoreError('STORE_DAMAGED', `${snapshot} is damaged: ${finding?.['integrity_check']}`)
    }
    writeSnapshot(db, copy)
  } catch (error) {
    throw storeErrorFrom(error, 'read', snapshot)
  }
}

function onNewTimeline(file: string): { timeline: string; index: number } {
  using db = openUntouched(file)
  startTimeline(db)
  const { timeline, index } = readMeta(db, file)
  return { timeline, index }
}

function keepAside(file: string, aside: string): string {
  takeLogIn(file)
  for (const suffix of ['-wal', '']) {
    if (!existsSync(file + suffix)) continue
    copyFileSync(file + suffix, aside + suffix, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE)
    syncFile(aside + suffix)
  }
  syncFolderOf(aside)
  // A log that stays behind would be read as part of the new file.
  for (const suffix of ['-wal', '-shm']) rmSync(file + suffix, { force: true })
  return aside
}

/** Opening reads the log, and the last connection to close moves it into the file and removes it. */
function takeLogIn(file: string): void {
  try {
    using db = openUntouched(file)
    db.prepare('SELECT 1 FROM sqlite_schema').get()
  } catch (error) {
    // A file too damaged to open is exactly what a restore is for: it is kept as it is, log included.
    if (storeErrorFrom(error, 'read', file).code !== 'STORE_DAMAGED') throw error
  }
}
