/** What a process holds in memory, as the system counts it. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'

export const MEBIBYTE = 1_048_576

/** Bytes of memory that a process holds now. */
export async function residentBytes(pid: number): Promise<number> {
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)![1]) * 1_024
  }
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', `${pid}`])
  return Number(stdout.trim()) * 1_024
}
