/**
 * The files a rotated event log leaves behind: `events-2026-08-01T12-00-00.000.log` beside `events.log`, in UTC, as the
 * peers name them.
 */
import { readdir, rename, stat, unlink } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'

const STAMP = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}\.\d{3}$/

/** Where a file goes that is put aside at a time. */
export function backupPath(path: string, milliseconds: number): string {
  const { prefix, extension } = parts(path)
  const stamp = new Date(milliseconds).toISOString().slice(0, -1).replaceAll(':', '-')
  return join(dirname(path), `${prefix}${stamp}${extension}`)
}

/** Puts the file aside under a name that is not taken. */
export async function putAside(path: string, milliseconds: number): Promise<string> {
  let time = milliseconds
  // Two rotations within a millisecond must not overwrite each other.
  while (await exists(backupPath(path, time))) time += 1
  const target = backupPath(path, time)
  await rename(path, target)
  return target
}

/** Removes the oldest files put aside, so that `keep` stay; 0 keeps all. */
export async function pruneBackups(path: string, keep: number): Promise<void> {
  if (keep <= 0) return
  const { prefix, extension } = parts(path)
  const names = await readdir(dirname(path))
  const backups = names.filter((name) => {
    const isNamedAlike = name.startsWith(prefix) && name.endsWith(extension)
    return isNamedAlike && STAMP.test(name.slice(prefix.length, name.length - extension.length))
  })
  // The stamp sorts as text.
  const surplus = backups.sort().slice(0, Math.max(0, backups.length - keep))
  for (const name of surplus) await unlink(join(dirname(path), name))
}

function parts(path: string): { prefix: string; extension: string } {
  const extension = extname(path)
  return { prefix: `${basename(path, extension)}-`, extension }
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}
