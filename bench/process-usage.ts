/**
 * What a process has used so far, as Linux tells it. Elsewhere nothing is known, and the table says so.
 */
import { readFileSync } from 'node:fs'

export interface ProcessUsage {
  /** Seconds of all its threads, in user and system mode; NaN when unknown. */
  readonly cpuSeconds: number
  /** Memory that is resident; NaN when unknown. */
  readonly residentMegabytes: number
}

/** Linux counts in hundredths of a second, whatever the kernel's own clock does. */
const TICKS_PER_SECOND = 100

const unknown: ProcessUsage = { cpuSeconds: Number.NaN, residentMegabytes: Number.NaN }

export function usageOf(pid: number | undefined): ProcessUsage {
  if (pid === undefined || process.platform !== 'linux') return unknown
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // The second field is the program's name in brackets, and may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [user, system] = [Number(fields[11]), Number(fields[12])]
  const resident = /^VmRSS:\s*(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))
  return {
    cpuSeconds: (user + system) / TICKS_PER_SECOND,
    residentMegabytes: resident === null ? Number.NaN : Number(resident[1]) / 1024,
  }
}
