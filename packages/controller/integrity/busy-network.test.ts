import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { damagedNetwork, members, type SampleNetwork, temporaryFolder } from './sample-network.ts'

const manyMembers = 100_000

/** Members, each with an entry in the journal. Made by the engine, as a hundred thousand mutations would take a while. */
const crowd = [
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${manyMembers})
   INSERT INTO rows (tbl, id, data)
   SELECT 'members', 'm' || i, json_object('id', 'm' || i, 'createdAt', '2026-01-01T00:00:00.000Z', 'updatedAt',
     '2026-01-01T00:00:00.000Z', 'tags', json('{}'), 'isSystem', json('false'), 'name', 'member ' || i, 'nickname', null,
     'groupId', 'crew', 'friendIds', json_array('ada', 'bob'), 'mentorId', 'eve',
     'roleAttributes', json_array('a' || (i % 100))) FROM n`,
  `INSERT INTO journal (idx, ord, time, cause, tbl, id, before, after, start)
   SELECT seq, 0, '2026-01-01T00:00:00.000Z', '{}', tbl, id, NULL, data, 0 FROM rows WHERE id GLOB 'm[0-9]*'`,
  `UPDATE meta SET value = (SELECT max(idx) FROM journal) WHERE key = 'head'`,
]

describe('a scan of a hundred thousand rows', () => {
  test('lets others have their turn, and takes no change for damage', async () => {
    await using folder = await temporaryFolder()
    await using network = await damagedNetwork(folder.path, ...crowd)
    const stopWriting = keepWriting(network)
    const longestTurn = watchTurns()
    const found = await network.check()
    const milliseconds = longestTurn()
    const written = await stopWriting()
    assert.deepEqual(found, [])
    assert.ok(written > 20, `${written} changes were made meanwhile`)
    assert.ok(milliseconds < 50, `the longest turn took ${milliseconds} ms`)
  })

  test('finds the one that is wrong', async () => {
    await using folder = await temporaryFolder()
    const sql = `UPDATE rows SET data = 'x' WHERE id = 'm77777'`
    await using network = await damagedNetwork(folder.path, ...crowd, sql)
    const found = 'what is stored for members/m77777 is not valid JSON'
    assert.deepEqual(await network.fix(), { [found]: true })
    assert.equal(network.get(members, 'm77777')!['name'], 'member 77777')
  })
})

/** Creates, changes and deletes members until told to stop; answers how often. */
function keepWriting({ core }: SampleNetwork): () => Promise<number> {
  let isOver = false
  let count = 0
  const work = (async () => {
    while (!isOver) {
      const id = `new${count++}`
      await core.kit.writeAsController((change) => {
        change.create(members, { name: id, groupId: 'crew' }, { id })
        change.update(members, `m${count}`, { nickname: id })
        if (count % 2 === 0) change.remove(members, `m${manyMembers - count}`)
      })
      if (count % 3 === 0) await core.kit.writeAsController((change) => change.remove(members, id))
    }
  })()
  return async () => {
    isOver = true
    await work
    return count
  }
}

/** The most processor time that passed in this thread between two turns of a timer: what others had to wait for. */
function watchTurns(): () => number {
  let longest = 0
  let last = process.threadCpuUsage()
  const timer = setInterval(() => {
    const now = process.threadCpuUsage()
    longest = Math.max(longest, now.user + now.system - last.user - last.system)
    last = now
  }, 1)
  return () => {
    clearInterval(timer)
    return longest / 1_000
  }
}
