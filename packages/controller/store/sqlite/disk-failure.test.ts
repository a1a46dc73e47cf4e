/** A disk that takes no more: what was acknowledged is there, and nothing is acknowledged any more. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { rowsOf } from '../sample-history.ts'
import { SqliteStore } from './sqlite-store.ts'

const program = fileURLToPath(new URL('./appending-process.ts', import.meta.url))
const canMount = spawnSync('unshare', ['--mount', 'true']).status === 0
const needsMounts = canMount ? false : 'mounting in a namespace of its own is not permitted here'
const needsUlimit = process.platform === 'win32' ? 'Windows has no limit on the size of files' : false

interface Fact {
  readonly opened?: number
  readonly acknowledged?: number
  readonly code?: string
  readonly message?: string
  readonly closed?: boolean
}

describe('a store', () => {
  test('fails for good when its file may not grow, and keeps what it acknowledged', { skip: needsUlimit }, async () => {
    await using place = await temporary()
    const facts = await append('ulimit -f 4096', place.file)
    assertFailedForGood(facts)
    await using store = await SqliteStore.open({ file: place.file, clock: Date })
    assert.ok(store.head.index >= lastAcknowledged(facts))
    assert.equal((await rowsOf(store)).get('counters/a'), `${store.head.index}`)
    assert.deepEqual(await store.check(), [])
  })

  test('fails for good when the disk is full', { skip: needsMounts }, async () => {
    await using place = await temporary()
    const facts = await append(`mount -t tmpfs -o size=3m none '${place.folder}'`, place.file)
    assertFailedForGood(facts)
    assert.match(facts.find(({ code }) => code)?.message ?? '', /full/)
  })

  test('refuses to open where it cannot write', { skip: needsMounts }, async () => {
    await using place = await temporary()
    await (await SqliteStore.open({ file: place.file, clock: Date }))[Symbol.asyncDispose]()
    const readOnly = `mount --bind '${place.folder}' '${place.folder}' && mount -o remount,bind,ro '${place.folder}'`
    const [fact, ...rest] = await append(readOnly, place.file)
    assert.deepEqual([fact?.code, rest], ['STORE_FAILED', []])
    assert.match(fact?.message ?? '', /readonly|read-only/)
  })
})

function assertFailedForGood(facts: readonly Fact[]): void {
  const failures = facts.filter(({ code }) => code)
  assert.deepEqual(
    failures.map(({ code }) => code),
    ['STORE_FAILED', 'STORE_FAILED', 'STORE_FAILED'],
    JSON.stringify(failures),
  )
  assert.ok(lastAcknowledged(facts) > 0)
  assert.ok(facts.findLastIndex(({ acknowledged }) => acknowledged) < facts.findIndex(({ code }) => code))
  assert.equal(facts.at(-1)?.closed, true)
}

function lastAcknowledged(facts: readonly Fact[]): number {
  return Math.max(0, ...facts.map(({ acknowledged = 0 }) => acknowledged))
}

/** Runs the appending process in a shell that first spoils its disk. */
async function append(spoil: string, file: string): Promise<readonly Fact[]> {
  const script = `${spoil} && exec "$0" "$@"`
  const command = [...(spoil.startsWith('mount') ? ['unshare', '--mount'] : []), 'sh', '-c', script]
  const [first = 'sh', ...rest] = [...command, process.execPath, program, file, '2000']
  const child = spawn(first, rest, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [output] = await Promise.all([child.stdout.toArray(), once(child, 'exit')])
  const lines = Buffer.concat(output).toString().trim().split('\n')
  return lines.map((line) => JSON.parse(line))
}

async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), 'weft-disk-'))
  const file = join(folder, 'store.db')
  return { folder, file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}
