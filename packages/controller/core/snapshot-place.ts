/**
 * Where a snapshot is written. Callers may say where they would like it, with words that stand for the database and the
 * time; of that the file's name is used and the folder is always the database's own, because a caller of the API has no
 * business elsewhere on the host.
 */
import { basename, dirname, join } from 'node:path'

const USABLE = /^[\w-][\w.-]{0,199}$/
const WORDS = /__(DB_DIR|DB_FILE|DATE|TIME|RAFT_INDEX)__|DB_DIR|DB_FILE|DATE|TIME|RAFT_INDEX/g

/** `stamp` is date and time with a hyphen between them; without a usable wish it follows the database's name. */
export function snapshotPlace(databaseFile: string, stamp: string, wanted: string): string {
  const [date = '', time = ''] = stamp.split('-')
  const folder = dirname(databaseFile)
  const file = basename(databaseFile)
  const meaning: Readonly<Record<string, string>> = {
    DB_DIR: folder,
    DB_FILE: file,
    DATE: date,
    TIME: time,
    RAFT_INDEX: '0',
  }
  const name = basename(wanted.replace(WORDS, (word, marked?: string) => meaning[marked ?? word] ?? word))
  return join(folder, USABLE.test(name) && !isDatabase(name, file) ? name : `${file}-${stamp}`)
}

/** The database itself, and what is kept beside it: everything of its name but a snapshot of it. */
function isDatabase(name: string, file: string): boolean {
  return name.startsWith(file) && !/^-\d{8}-/.test(name.slice(file.length))
}
