/**
 * Finds out which process listens on a TCP port, where the system lets us know: on Linux, for processes of the same user,
 * through /proc. Elsewhere, and for processes of others, the answer is undefined.
 */
import { readdir, readFile, readlink } from 'node:fs/promises'
import { isSecretKey } from '../../log/redaction.ts'

export interface PortHolder {
  readonly pid: number
  /** The command line, shortened. */
  readonly command: string
}

const LISTENING = '0A'
const LONGEST_COMMAND = 120

/** The process that listens on a port, if it can be known. Never fails. */
export async function findPortHolder(port: number): Promise<PortHolder | undefined> {
  try {
    const sockets = new Set<string>()
    for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
      for (const inode of listenersIn(await textOf(table), port)) sockets.add(`socket:[${inode}]`)
    }
    return sockets.size === 0 ? undefined : await ownerOf(sockets)
  } catch {
    return undefined // A machine without /proc cannot tell; the error that is being explained stands on its own.
  }
}

/** The inodes of sockets that listen on a port, from a table such as /proc/net/tcp. */
export function listenersIn(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const inodes: string[] = []
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
    if (state === LISTENING && local.endsWith(wanted)) inodes.push(inode)
  }
  return inodes
}

async function ownerOf(sockets: ReadonlySet<string>): Promise<PortHolder | undefined> {
  for (const name of await readdir('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid) && (await holdsOneOf(pid, sockets))) return { pid, command: await commandOf(pid) }
  }
  return undefined
}

async function holdsOneOf(pid: number, sockets: ReadonlySet<string>): Promise<boolean> {
  // Both may fail at any time: processes of others may not be looked into, and any may end meanwhile.
  const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
  for (const descriptor of descriptors) {
    if (sockets.has(await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => ''))) return true
  }
  return false
}

async function commandOf(pid: number): Promise<string> {
  const words = (await textOf(`/proc/${pid}/cmdline`)).split('\0')
  const command = words
    .map((word, at) => (mayBeSecret(words[at - 1], word) ? '…' : word))
    .join(' ')
    .trim()
  return command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND)}...` : command
}

/** A word after a flag such as `--password`, or one that is both. */
function mayBeSecret(before: string | undefined, word: string): boolean {
  const isSecretFlag = (flag: string) => /^-./.test(flag) && (flag === '-p' || isSecretKey(flag))
  return isSecretFlag(before ?? '') || (word.includes('=') && isSecretFlag(word.split('=')[0]!))
}

function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch(() => '')
}
