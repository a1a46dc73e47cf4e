/** Files that only their owner may read, and that are on the disk when a function returns. */
import { closeSync, existsSync, fsyncSync, openSync, realpathSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/**
 * Creates an empty file with mode 0600; SQLite gives the same mode to the files it puts beside it. A file that exists is
 * left alone and above all not opened: closing any descriptor of a file drops the locks that this process holds on it.
 */
export function ensurePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
}

/** Waits until the content of a file is on the disk. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Waits until created, renamed and removed names in the folder of a file are on the disk. Windows has no such call. */
export function syncFolderOf(path: string): void {
  if (process.platform === 'win32') return
  const descriptor = openSync(dirname(path), 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** The one name of a file, whether it exists or not, so that two ways to reach it meet at one lock. */
export function realName(path: string): string {
  return existsSync(path) ? realpathSync(path) : join(realpathSync(dirname(path)), basename(path))
}

/** A time for file names: UTC, sortable, no colon (Windows). */
export function fileStamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replaceAll('-', '').replaceAll(':', '').replace('T', '-').slice(0, 19)
}
