/**
 * What the numbers of a run depend on: the machine and what else it does, the network, the disk, and what the generator
 * of the load can take at most.
 */
import { mkdtemp, open, rm } from 'node:fs/promises'
import { availableParallelism, cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { measureCeiling } from './load/ceiling.ts'
import { median } from './load/quantile.ts'
import { countOf, kinds } from './network.ts'
import type { Plan } from './rounds.ts'

/** About as long as one record, and as a list of a hundred. */
const ANSWER_LENGTHS = [1_500, 150_000]

export async function* inputs(sizes: readonly number[], plan: Plan): AsyncGenerator<string> {
  const { connections, rounds, length, batch } = plan
  const load = loadavg().map((value) => value.toFixed(2))
  yield `node ${process.version}, ${availableParallelism()} x ${cpus()[0]?.model ?? 'unknown processor'}`
  yield `load average before: ${load.join(' ')}; the generator of the load runs on the same machine`
  yield `${connections} connections, ${rounds} rounds of ${length} ms in turns, creates and deletes by ${batch}`
  for (const size of sizes) yield `size ${size}: ${kinds.map((kind) => `${countOf(kind, size)} ${kind}`).join(', ')}`
  yield 'durability of ours: SQLite in WAL mode with synchronous=FULL, each commit synced before it is answered'
  yield `this disk writes and syncs 4 KiB in ${(await syncMilliseconds()).toFixed(2)} ms (median)`
  for (const { bytes, perSecond } of await measureCeiling(ANSWER_LENGTHS, { connections, milliseconds: length })) {
    yield `the generator takes at most ${perSecond.toFixed(0)} answers of ${bytes} bytes per second`
  }
}

/** What the disk under the temporary directory takes for the smallest durable write. */
async function syncMilliseconds(): Promise<number> {
  const directory = await mkdtemp(join(tmpdir(), 'weft-bench-'))
  try {
    await using file = await open(join(directory, 'synced'), 'w')
    const times: number[] = []
    for (let at = 0; at < 50; at++) {
      const began = performance.now()
      await file.write(Buffer.alloc(4_096))
      await file.datasync()
      times.push(performance.now() - began)
    }
    return median(times)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
