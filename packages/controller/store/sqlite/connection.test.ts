import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeDurable, openUntouched } from './connection.ts'

test('a commit is on the disk before it returns', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-connection-'))
  try {
    using db = openUntouched(join(folder, 'store.db'))
    makeDurable(db, 1_024)
    const expected = { journal_mode: 'wal', synchronous: 2, fullfsync: 1, checkpoint_fullfsync: 1, foreign_keys: 0 }
    for (const [pragma, value] of Object.entries(expected)) {
      assert.equal(db.prepare(`PRAGMA ${pragma}`).get()?.[pragma], value, pragma)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
