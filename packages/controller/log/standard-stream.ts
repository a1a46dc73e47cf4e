/**
 * Standard output and standard error as streams that never stop the event loop.
 *
 * Node writes to files and terminals behind `process.stdout` synchronously, so a hung disk or a terminal paused by its
 * user would stop everything; those go through the thread pool here. Pipes and sockets are asynchronous as they are, and
 * must not go through the thread pool: a write that hangs there keeps the process from exiting.
 */
import { createWriteStream, fstatSync } from 'node:fs'
import type { Writable } from 'node:stream'

/** Opens the stream of a standard descriptor: 1 for output, 2 for errors. */
export function standardStream(descriptor: 1 | 2): Writable {
  const stat = fstatSync(descriptor)
  const isAsynchronous = stat.isFIFO() || stat.isSocket()
  if (!isAsynchronous) return createWriteStream('', { fd: descriptor, autoClose: false })
  return descriptor === 1 ? process.stdout : process.stderr
}
