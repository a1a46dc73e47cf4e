/** Killed at any instant, a store keeps what it acknowledged and shows nothing half done. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { numbers, rowsOf } from '../sample-history.ts'
import { SqliteStore } from './sqlite-store.ts'

const rounds = Number(process.env['WEFT_KILL_ROUNDS'] ?? 10)
const program = fileURLToPath(new URL('./appending-process.ts', import.meta.url))
const longestLife = 150

test(`keeps what it acknowledged through ${rounds} kills`, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-kill-'))
  const file = join(folder, 'store.db')
  try {
    let known = 0
    for (const round of numbers(1, rounds)) {
      const acknowledged = await appendAndKill(file, Math.random() * longestLife)
      known = await verify(file, known, acknowledged, `round ${round}`)
    }
    assert.ok(known > rounds)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

/** Runs the process and kills it some milliseconds after it opened the store. Answers the last acknowledged index. */
async function appendAndKill(file: string, life: number): Promise<number> {
  const child = spawn(process.execPath, [program, file, '900'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const exited = once(child, 'exit')
  let acknowledged = 0
  for await (const line of createInterface({ input: child.stdout })) {
    const fact = JSON.parse(line)
    assert.equal(fact.code, undefined, fact.message)
    if (fact.opened !== undefined) void setTimeout(life).then(() => child.kill('SIGKILL'))
    acknowledged = fact.acknowledged ?? acknowledged
  }
  const [, signal] = await exited
  assert.equal(signal, 'SIGKILL')
  return acknowledged
}

/** Compares the store with what was acknowledged, and answers how far it has come. */
async function verify(file: string, before: number, acknowledged: number, round: string): Promise<number> {
  await using store = await SqliteStore.open({ file, clock: Date })
  const { index } = store.head
  assert.ok(index >= Math.max(before, acknowledged), `${round}: ${acknowledged} was acknowledged, ${index} is there`)
  if (index === 0) return 0
  const rows = await rowsOf(store)
  for (const row of ['counters/a', 'counters/b', 'counters/c', 'batches/end']) {
    assert.equal(rows.get(row), `${index}`, `${round}: ${row}`)
  }
  assert.equal(rows.size, 4 + index, round)
  const journal = await store.journal({ after: before })
  const expected = numbers(before + 1, index).flatMap((each) => [0, 1, 2, 3, 4].map((ordinal) => `${each}.${ordinal}`))
  assert.deepEqual(
    journal.map((entry) => `${entry.index}.${entry.ordinal}`),
    expected,
    round,
  )
  assert.deepEqual(await store.check(), [], round)
  return index
}
