/** What a process can tell of itself, in lines that operators of the peers know. */
import { availableParallelism } from 'node:os'
import { getHeapStatistics } from 'node:v8'

/** The memory of the process. */
export function memoryText(): string {
  const { rss, heapTotal, heapUsed, external, arrayBuffers } = process.memoryUsage()
  const { heap_size_limit: limit, malloced_memory: malloced, number_of_native_contexts: contexts } = getHeapStatistics()
  return lines([
    ['alloc', bytesText(heapUsed + external)],
    ['sys', bytesText(rss)],
    ['heap-alloc', bytesText(heapUsed)],
    ['heap-sys', bytesText(heapTotal)],
    ['heap-limit', bytesText(limit)],
    ['external', bytesText(external)],
    ['buffers', bytesText(arrayBuffers)],
    ['malloced', bytesText(malloced)],
    ['contexts', String(contexts)],
  ])
}

/** What the process has open, and what it runs on. */
export function statisticsText(): string {
  const cpu = process.cpuUsage()
  return lines([
    ['active resources', String(process.getActiveResourcesInfo().length)],
    ['num CPU', String(availableParallelism())],
    ['uptime', `${Math.round(process.uptime())}s`],
    ['CPU time', `${((cpu.user + cpu.system) / 1e6).toFixed(1)}s`],
  ])
}

/** What keeps the process running, by kind: the nearest thing to the stacks of all threads. */
export function activityText(): string {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const rows = [...counts].sort(([, one], [, other]) => other - one).map(([kind, count]) => `${count}\t${kind}\n`)
  return `active resources:\n${rows.join('')}`
}

function lines(rows: readonly (readonly [string, string])[]): string {
  return rows.map(([name, value]) => `${name}: ${value}\n`).join('')
}

const units = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10))
  return power === 0 ? `${bytes} bytes` : `${(bytes / 1024 ** power).toFixed(2)}${units[power]} (${bytes} bytes)`
}
