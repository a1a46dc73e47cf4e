import assert from 'node:assert/strict'
import { test } from 'node:test'
import { snapshotPlace } from './snapshot-place.ts'

const places: readonly [wanted: string, place: string][] = [
  ['', '/data/weft.db-20261115-024733.123'],
  ['/elsewhere/snap.db', '/data/snap.db'],
  ['../../etc/passwd', '/data/passwd'],
  ['DB_DIR/DB_FILE-DATE-TIME', '/data/weft.db-20261115-024733.123'],
  ['__DB_DIR__/before-__DATE__-RAFT_INDEX', '/data/before-20261115-0'],
  ['weft.db', '/data/weft.db-20261115-024733.123'],
  ['weft.db-wal', '/data/weft.db-20261115-024733.123'],
  ['..', '/data/weft.db-20261115-024733.123'],
  ['.hidden', '/data/weft.db-20261115-024733.123'],
  ['a\nb', '/data/weft.db-20261115-024733.123'],
]

for (const [wanted, place] of places) {
  test(`a snapshot wanted at ${JSON.stringify(wanted)} lies at ${place}`, () => {
    assert.equal(snapshotPlace('/data/weft.db', '20261115-024733.123', wanted), place)
  })
}
