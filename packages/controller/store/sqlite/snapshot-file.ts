/** A consistent copy of a store: one file, compact, private, and complete as soon as it has its name. */
import { existsSync, renameSync, rmSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { ensurePrivateFile, syncFile, syncFolderOf } from './durable-file.ts'

/**
 * Copies what the connection sees at this instant, while others go on writing. `VACUUM INTO` rather than the backup
 * interface: it reads one state, copies no free pages (which hold what was deleted) and leaves no log beside the copy.
 */
export function writeSnapshot(db: DatabaseSync, path: string): void {
  if (existsSync(path)) throw new Error(`${path} exists already`)
  const partial = `${path}.partial`
  rmSync(partial, { force: true })
  ensurePrivateFile(partial)
  try {
    db.prepare('VACUUM INTO ?').run(partial)
    syncFile(partial)
    renameSync(partial, path)
    syncFolderOf(path)
  } catch (error) {
    rmSync(partial, { force: true })
    throw error
  }
}
