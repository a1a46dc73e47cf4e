import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { numbers, put, rowsOf, transaction } from '../sample-history.ts'
import { hasCode, storeSuite } from '../store.suite.ts'
import { restoreSnapshot } from './restore.ts'
import { migrations } from './schema.ts'
import { SqliteStore } from './sqlite-store.ts'

const clock = { now: () => Date.UTC(2026, 6, 27, 10, 11, 12, 345) }

storeSuite('SQLite', async () => {
  const { folder, file, [Symbol.asyncDispose]: dispose } = await temporary()
  return {
    folder,
    open: () => SqliteStore.open({ file, clock }),
    openSnapshot: (path) => SqliteStore.open({ file: path, clock }),
    restore: async (path) => {
      await restoreSnapshot({ snapshot: path, file, clock })
    },
    [Symbol.asyncDispose]: dispose,
  }
})

describe('a SQLite store', () => {
  test('keeps its files private and leaves one when closed', async () => {
    await using place = await temporary()
    {
      await using store = await SqliteStore.open({ file: place.file, clock })
      await store.append([transaction(1, put('t', 'x', '1'))])
      await store.snapshot(join(place.folder, 'copy'))
      if (process.platform !== 'win32') {
        for (const name of readdirSync(place.folder)) {
          assert.equal(statSync(join(place.folder, name)).mode & 0o777, 0o600, name)
        }
      }
    }
    assert.deepEqual(readdirSync(place.folder).sort(), ['copy', 'store.db', 'store.db-owner'])
  })

  test('refuses a second owner in the same process and in another one, and names the first', async () => {
    await using place = await temporary()
    await using first = await SqliteStore.open({ file: place.file, clock })
    const inUse = { code: 'STORE_BUSY', message: new RegExp(`is in use by process ${process.pid}`) }
    await assert.rejects(SqliteStore.open({ file: place.file, clock }), inUse)
    const other = await openElsewhere(place.file)
    assert.equal(other.code, inUse.code)
    assert.match(other.message, inUse.message)
    await first.append([transaction(1, put('t', 'x', '1'))])
  })

  test('of two that open at the same time one gets it', async () => {
    await using place = await temporary()
    const opened = await Promise.allSettled([1, 2].map(() => SqliteStore.open({ file: place.file, clock })))
    const stores = opened
      .filter(({ status }) => status === 'fulfilled')
      .map((result) => ('value' in result ? result.value : undefined))
    const refused = opened.flatMap((result) => ('reason' in result ? [result.reason] : []))
    assert.equal(stores.length, 1)
    assert.ok(refused.every(hasCode('STORE_BUSY')))
    await stores[0]?.[Symbol.asyncDispose]()
    await using again = await SqliteStore.open({ file: place.file, clock })
    assert.equal(again.head.index, 0)
  })

  test('stops when another program changes its file', async () => {
    await using place = await temporary()
    await using store = await SqliteStore.open({ file: place.file, clock })
    await store.append([transaction(1, put('t', 'x', '1'))])
    {
      using stranger = new DatabaseSync(place.file)
      stranger.exec(`UPDATE rows SET data = '2'`)
    }
    const changed = { code: 'STORE_FAILED', message: /changed by another program/ }
    await assert.rejects(store.append([transaction(2, put('t', 'y', '1'))]), changed)
    await assert.rejects(store.append([transaction(3, put('t', 'y', '1'))]), changed)
    assert.equal(store.head.index, 1)
  })

  test('goes on after another program has changed its file once that is accepted', async () => {
    await using place = await temporary()
    await using store = await SqliteStore.open({ file: place.file, clock })
    await store.append([transaction(1, put('t', 'x', '1'))])
    {
      using stranger = new DatabaseSync(place.file)
      stranger.exec(`UPDATE rows SET data = '2'`)
    }
    await store.acceptForeignWrites()
    await store.append([transaction(2, put('t', 'y', '1'))])
    {
      using stranger = new DatabaseSync(place.file)
      stranger.exec(`UPDATE rows SET data = '3'`)
    }
    await assert.rejects(store.append([transaction(3, put('t', 'y', '1'))]), hasCode('STORE_FAILED'))
    await assert.rejects(store.acceptForeignWrites(), hasCode('STORE_FAILED'))
  })

  test('of batches sent without waiting none succeeds after one has failed', async () => {
    await using place = await temporary()
    await using store = await SqliteStore.open({ file: place.file, clock })
    {
      using stranger = new DatabaseSync(place.file)
      stranger.exec(`INSERT INTO rows (tbl, id, data) VALUES ('t', 'z', '0')`)
    }
    const results = await Promise.allSettled(numbers(1, 5).map((index) => store.append([transaction(index)])))
    assert.ok(results.every((result) => 'reason' in result && hasCode('STORE_FAILED')(result.reason)))
  })

  test('a load that is cut off by closing says so', async () => {
    await using place = await temporary()
    await using store = await SqliteStore.open({ file: place.file, clock })
    await store.append(numbers(1, 20_000).map((index) => transaction(index, put('t', `${index}`, '1'))))
    let closed: Promise<void> | undefined
    const load = store.load(() => {
      closed ??= store[Symbol.asyncDispose]()
    })
    await assert.rejects(load, hasCode('STORE_CLOSED'))
    await closed
  })

  test('migrates an older store after a copy of it', async () => {
    await using place = await temporary()
    {
      await using store = await SqliteStore.open({ file: place.file, clock })
      await store.append([transaction(1, put('t', 'x', '1'))])
    }
    const next = [...migrations, `UPDATE rows SET data = data || '0'`, `UPDATE rows SET data = data || '!'`]
    {
      await using store = await SqliteStore.open({ file: place.file, clock, migrations: next })
      assert.equal(store.head.schemaVersion, migrations.length + 2)
      assert.equal(store.head.index, 1)
      assert.deepEqual(await rowsOf(store), new Map([['t/x', '10!']]))
    }
    {
      await using store = await SqliteStore.open({ file: place.file, clock, migrations: next })
      assert.deepEqual(await rowsOf(store), new Map([['t/x', '10!']]))
    }
    const copies = readdirSync(place.folder).filter((name) => name.includes('-schema-'))
    assert.deepEqual(copies, [`store.db-schema-${migrations.length}-20260727-101112.345`])
    await using before = await SqliteStore.open({ file: join(place.folder, copies[0]!), clock })
    assert.deepEqual(await rowsOf(before), new Map([['t/x', '1']]))
  })

  test('a migration that fails changes nothing', async () => {
    await using place = await temporary()
    {
      await using store = await SqliteStore.open({ file: place.file, clock })
      await store.append([transaction(1, put('t', 'x', '1'))])
    }
    const broken = [...migrations, 'DELETE FROM rows', 'DELETE FROM missing']
    await assert.rejects(SqliteStore.open({ file: place.file, clock, migrations: broken }), {
      code: 'STORE_FAILED',
      message: /no such table: missing/,
    })
    await using store = await SqliteStore.open({ file: place.file, clock })
    assert.equal(store.head.schemaVersion, migrations.length)
    assert.deepEqual(await rowsOf(store), new Map([['t/x', '1']]))
  })

  test('refuses a store of a newer Weft and leaves it as it is', async () => {
    await using place = await temporary()
    const next = [...migrations, 'CREATE TABLE later (x)']
    await (await SqliteStore.open({ file: place.file, clock, migrations: next }))[Symbol.asyncDispose]()
    const before = readFileSync(place.file)
    await assert.rejects(SqliteStore.open({ file: place.file, clock }), {
      code: 'STORE_NEWER',
      message: new RegExp(`has schema version ${next.length} and this Weft knows versions up to ${migrations.length}`),
    })
    assert.ok(before.equals(readFileSync(place.file)))
  })

  test('refuses what is no store and leaves it as it is', async () => {
    await using place = await temporary()
    const foreign = join(place.folder, 'foreign.db')
    {
      using db = new DatabaseSync(foreign)
      db.exec('CREATE TABLE notes (text)')
    }
    const noise = join(place.folder, 'noise.db')
    writeFileSync(noise, 'this is a shopping list, long enough to be taken for a header\n'.repeat(100))
    for (const file of [foreign, noise]) {
      const before = readFileSync(file)
      await assert.rejects(SqliteStore.open({ file, clock }), hasCode('STORE_DAMAGED'))
      assert.ok(before.equals(readFileSync(file)))
    }
  })

  test('says what is wrong with a path', async () => {
    await using place = await temporary()
    mkdirSync(place.file)
    for (const file of [join(place.folder, 'missing', 'store.db'), place.file]) {
      await assert.rejects(SqliteStore.open({ file, clock }), hasCode('STORE_FAILED'))
    }
  })

  test('the check names damage that nobody has run into yet', async () => {
    await using place = await temporary()
    {
      await using store = await SqliteStore.open({ file: place.file, clock })
      await store.append(numbers(1, 2_000).map((index) => transaction(index, put('t', `${index}`, 'x'.repeat(400)))))
    }
    const bytes = readFileSync(place.file)
    bytes.fill(0xa5, bytes.length - 40_960, bytes.length - 20_480)
    writeFileSync(place.file, bytes)
    await using store = await SqliteStore.open({ file: place.file, clock })
    assert.notDeepEqual(await store.check(), [])
    assert.notDeepEqual(await store.check(), [])
  })

  test('keeps its log short under steady writing', async () => {
    await using place = await temporary()
    await using store = await SqliteStore.open({ file: place.file, clock })
    const rows = numbers(0, 999).map((at) => put('t', `${at}`, 'x'.repeat(3_000)))
    for (const index of numbers(1, 40)) await store.append([transaction(index, ...rows)])
    const written = 40 * 1_000 * 2 * 4_096
    assert.ok(statSync(`${place.file}-wal`).size < written / 2)
  })
})

async function temporary() {
  const folder = await mkdtemp(join(tmpdir(), 'weft-store-'))
  return {
    folder,
    file: join(folder, 'store.db'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

/** Opens the store in another process and gives back the error it met. */
async function openElsewhere(file: string): Promise<{ code: string; message: string }> {
  const source = `
    import { SqliteStore } from ${JSON.stringify(new URL('./sqlite-store.ts', import.meta.url).href)}
    const refusal = await SqliteStore.open({ file: ${JSON.stringify(file)}, clock: Date }).catch((error) => error)
    console.log(JSON.stringify({ code: refusal.code, message: refusal.message }))
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', source], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output] = await Promise.all([child.stdout.toArray(), once(child, 'exit')])
  return JSON.parse(Buffer.concat(output).toString())
}
