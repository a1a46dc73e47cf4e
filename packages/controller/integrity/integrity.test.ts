import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, test } from 'node:test'
import { systemClock } from '../clock.ts'
import { SqliteStore } from '../store/sqlite/sqlite-store.ts'
import {
  damage,
  damagedNetwork,
  groups,
  keys,
  members,
  rules,
  SampleNetwork,
  temporaryFolder,
} from './sample-network.ts'

const setMember = (id: string, path: string, json: string) =>
  `UPDATE rows SET data = json_set(data, '${path}', json('${json}')) WHERE tbl = 'members' AND id = '${id}'`

interface Damage {
  readonly name: string
  readonly sql: readonly string[]
  /** What the scan says. */
  readonly found: readonly string[]
  /** What must be so after mending. */
  readonly mended: (network: SampleNetwork) => void
}

const whileStopped: readonly Damage[] = [
  {
    name: 'a row that is not JSON comes back from the journal',
    sql: [`UPDATE rows SET data = substr(data, 1, 20) WHERE tbl = 'members' AND id = 'eve'`],
    found: [
      'what is stored for members/eve is not valid JSON',
      'memberId of keys/key-eve refers to members/eve, which does not exist',
    ],
    mended: (network) => {
      assert.deepEqual(network.get(members, 'eve')!['friendIds'], ['ada', 'bob'])
      assert.ok(network.get(keys, 'key-eve'), 'and what belongs to it stays')
    },
  },
  {
    name: 'a row under the id of another comes back from the journal',
    sql: [`UPDATE rows SET id = 'zoe' WHERE tbl = 'rules'`],
    found: [
      'what is stored for rules/zoe is not the row of its id',
      'rules/first is lost: the journal says at 1 that it exists',
    ],
    mended: (network) => assert.equal(network.get(rules, 'first')!['name'], 'first'),
  },
  {
    name: 'a row that lacks its base comes back from the journal',
    sql: [`UPDATE rows SET data = json_remove(data, '$.tags') WHERE tbl = 'rules'`],
    found: ['what is stored for rules/first lacks what every row has'],
    mended: (network) => assert.deepEqual(network.get(rules, 'first')!['tags'], {}),
  },
  {
    name: 'a lost row comes back from the journal, and what refers to it stays',
    sql: [`DELETE FROM rows WHERE tbl = 'members' AND id = 'ada'`],
    found: [
      'members/ada is lost: the journal says at 1 that it exists',
      'friendIds of members/bob refers to members/ada, which does not exist',
      'mentorId of members/bob refers to members/ada, which does not exist',
      'friendIds of members/eve refers to members/ada, which does not exist',
      'memberId of keys/key-ada refers to members/ada, which does not exist',
      'memberRoles of rules/first selects members/ada, which does not exist',
    ],
    mended: (network) => {
      assert.equal(network.get(members, 'ada')!['nickname'], 'ada!')
      assert.deepEqual(network.get(members, 'bob')!['friendIds'], ['ada'])
      assert.ok(network.get(keys, 'key-ada'))
      assert.deepEqual(network.get(rules, 'first')!['memberRoles'], ['#all-of-them', '@ada', '@bob'])
    },
  },
  {
    name: 'a lost row without any journal is let go, with what hangs on it',
    sql: [`DELETE FROM rows WHERE tbl = 'members' AND id = 'ada'`, 'DELETE FROM journal'],
    found: [
      'friendIds of members/bob refers to members/ada, which does not exist',
      'mentorId of members/bob refers to members/ada, which does not exist',
      'friendIds of members/eve refers to members/ada, which does not exist',
      'memberId of keys/key-ada refers to members/ada, which does not exist',
      'memberRoles of rules/first selects members/ada, which does not exist',
    ],
    mended: (network) => {
      assert.deepEqual(network.get(members, 'bob')!['friendIds'], [])
      assert.equal(network.get(members, 'bob')!['mentorId'], null)
      assert.deepEqual(network.get(members, 'eve')!['friendIds'], ['bob'])
      assert.equal(network.get(keys, 'key-ada'), undefined)
      assert.deepEqual(network.get(rules, 'first')!['memberRoles'], ['#all-of-them', '@bob'])
    },
  },
  {
    name: 'a lost row with secrets is not made up',
    sql: [`DELETE FROM rows WHERE tbl = 'keys' AND id = 'key-bob'`],
    found: ['keys/key-bob is lost: the journal says at 1 that it exists'],
    mended: (network) => assert.equal(network.get(keys, 'key-bob'), undefined),
  },
  {
    name: 'a lost row whose name is taken since is not put back',
    sql: [
      `DELETE FROM rows WHERE tbl = 'members' AND id = 'ada'`,
      setMember('bob', '$.name', '"ada"'),
      setMember('bob', '$.friendIds', '[]'),
      setMember('bob', '$.mentorId', 'null'),
      setMember('eve', '$.friendIds', '[]'),
      `DELETE FROM rows WHERE tbl IN ('keys', 'rules')`,
      `DELETE FROM journal WHERE tbl IN ('keys', 'rules')`,
    ],
    found: ['members/ada is lost: the journal says at 1 that it exists'],
    mended: (network) => assert.equal(network.get(members, 'ada'), undefined),
  },
  {
    name: 'a dangling reference points again at what the journal knows',
    sql: [setMember('bob', '$.groupId', '"nowhere"'), setMember('bob', '$.friendIds', '["nobody", "ada", "noone"]')],
    found: [
      'groupId of members/bob refers to groups/nowhere, which does not exist',
      'friendIds of members/bob refers to members/nobody, which does not exist',
      'friendIds of members/bob refers to members/noone, which does not exist',
    ],
    mended: (network) => {
      assert.equal(network.get(members, 'bob')!['groupId'], 'crew')
      assert.deepEqual(network.get(members, 'bob')!['friendIds'], ['ada'])
    },
  },
  {
    name: 'a dangling reference that nobody remembers falls back to the default',
    sql: [setMember('bob', '$.groupId', '"nowhere"'), 'DELETE FROM journal'],
    found: ['groupId of members/bob refers to groups/nowhere, which does not exist'],
    mended: (network) => assert.equal(network.get(members, 'bob')!['groupId'], 'everyone'),
  },
  {
    name: 'a row that was deleted does not come back by itself',
    sql: [
      `INSERT INTO journal (idx, ord, time, cause, tbl, id, before, after, start)
           SELECT 1, 99, time, cause, 'members', 'eve', '{}', NULL, start FROM journal LIMIT 1`,
    ],
    found: ['members/eve exists, although the journal says at 1 that it was deleted'],
    mended: (network) => {
      assert.equal(network.get(members, 'eve'), undefined)
      assert.equal(network.get(keys, 'key-eve'), undefined)
    },
  },
  {
    name: 'a row that was deleted stays where others cannot be without it',
    sql: [
      `INSERT INTO journal (idx, ord, time, cause, tbl, id, before, after, start)
           SELECT 1, 99, time, cause, 'groups', 'crew', '{}', NULL, start FROM journal LIMIT 1`,
    ],
    found: ['groups/crew exists, although the journal says at 1 that it was deleted'],
    mended: (network) => assert.ok(network.get(groups, 'crew')),
  },
  {
    name: 'rows that share what must be unique are told apart',
    sql: [
      setMember('bob', '$.name', '"ada"'),
      setMember('eve', '$.nickname', '"ada!"'),
      `UPDATE rows SET data = json_set(data, '$.secret', 'secret of ada') WHERE id = 'key-bob'`,
    ],
    found: [
      'members with one and the same name, which must be unique: ada, bob',
      'members with one and the same nickname, which must be unique: ada, eve',
      'keys with one and the same secret, which must be unique: key-ada, key-bob',
    ],
    mended: (network) => {
      assert.equal(network.get(members, 'bob')!['name'], 'ada (bob)')
      assert.equal(network.get(members, 'eve')!['nickname'], null)
      assert.equal(network.get(keys, 'key-bob'), undefined)
      assert.ok(network.get(keys, 'key-ada'))
    },
  },
  {
    name: 'a row of no table goes',
    sql: [`INSERT INTO rows (tbl, id, data) VALUES ('ghosts', 'g', '{"id":"g"}')`],
    found: ['ghosts/g is stored, but there is no such table'],
    mended: () => {},
  },
]

describe('a store that was damaged while nobody used it', () => {
  for (const { name, sql, found, mended } of whileStopped) {
    test(name, async () => {
      await using folder = await temporaryFolder()
      {
        await using network = await damagedNetwork(folder.path, ...sql)
        assert.deepEqual(await network.check(), found)
        assert.deepEqual(await network.fix(), Object.fromEntries(found.map((text) => [text, true])))
        mended(network)
        assert.deepEqual(await network.check(), [])
      }
      await using again = await SampleNetwork.open(folder.path)
      assert.deepEqual(again.core.unreadable, [])
      mended(again)
      assert.deepEqual(await again.check(), [])
    })
  }
})

test('what cannot be mended is told, and does not keep the rest from being mended', async () => {
  await using folder = await temporaryFolder()
  // The member refers to itself as its mentor, so it cannot go; its group is gone, and so is the default.
  await using network = await damagedNetwork(
    folder.path,
    `DELETE FROM rows WHERE tbl = 'groups'`,
    'DELETE FROM journal',
    `DELETE FROM rows WHERE id IN ('bob', 'eve', 'key-bob', 'key-eve', 'first')`,
    setMember('ada', '$.mentorId', '"ada"'),
    setMember('ada', '$.friendIds', '["nobody"]'),
  )
  assert.deepEqual(await network.fix(), {
    'groupId of members/ada refers to groups/crew, which does not exist': false,
    'friendIds of members/ada refers to members/nobody, which does not exist': true,
  })
})

describe('a store that is damaged behind the back of the controller', () => {
  const cases: readonly { readonly name: string; readonly sql: string; readonly found: string }[] = [
    {
      name: 'a row that is not JSON',
      sql: `UPDATE rows SET data = 'rubbish' WHERE tbl = 'members' AND id = 'ada'`,
      found: 'what is stored for members/ada is not valid JSON',
    },
    {
      name: 'a lost row',
      sql: `DELETE FROM rows WHERE tbl = 'keys' AND id = 'key-ada'`,
      found: 'keys/key-ada is lost from the storage, though the controller still holds it',
    },
    {
      name: 'a reference to nothing',
      sql: setMember('bob', '$.groupId', '"nowhere"'),
      found: 'members/bob is stored differently from how the controller holds it',
    },
    {
      name: 'a row that nobody created',
      sql: `INSERT INTO rows SELECT 999, tbl, 'bad', json_set(data, '$.id', 'bad') FROM rows WHERE id = 'everyone'`,
      found: 'groups/bad is stored, but the controller knows of no such row',
    },
  ]
  for (const { name, sql, found } of cases) {
    test(`${name} is found, and written again from memory`, async () => {
      await using folder = await temporaryFolder()
      let before: unknown
      {
        await using network = await SampleNetwork.open(folder.path)
        await network.populate()
        before = everything(network)
        damage(folder.path, sql)
        assert.deepEqual(await network.check(), [found])
        assert.deepEqual(await network.fix(), { [found]: true })
        assert.deepEqual(await network.check(), [])
        assert.deepEqual(everything(network), before, 'and nothing else has changed')
      }
      await using again = await SampleNetwork.open(folder.path)
      assert.deepEqual(everything(again), before)
      assert.deepEqual(await again.check(), [])
    })
  }
})

test('bytes that go bad on the disk are found in a running controller, and mended', async () => {
  await using folder = await temporaryFolder()
  let before: unknown
  {
    await using network = await SampleNetwork.open(folder.path)
    await network.populate()
    before = everything(network)
  }
  {
    await using network = await SampleNetwork.open(folder.path)
    // In the rows and in the journal alike. By another process, as closing the file in this one would drop SQLite's locks.
    const patch = `const fs = require('node:fs')
      const bytes = fs.readFileSync(process.argv[1])
      const bad = Buffer.from(bytes.toString('latin1').replaceAll('{"id":"ada"', '["id":"ada"'), 'latin1')
      fs.writeFileSync(process.argv[1], bad, { flag: 'r+' })`
    execFileSync(process.execPath, ['-e', patch, network.file])
    const found = 'what is stored for members/ada is not valid JSON'
    assert.deepEqual(await network.check(), [found])
    assert.deepEqual(await network.fix(), { [found]: true })
    assert.deepEqual(await network.check(), [])
  }
  await using again = await SampleNetwork.open(folder.path)
  assert.deepEqual(everything(again), before)
})

test('a row whose journal is damaged too is let go', async () => {
  await using folder = await temporaryFolder()
  await using network = await damagedNetwork(
    folder.path,
    `UPDATE rows SET data = 'rubbish' WHERE tbl = 'rules'`,
    `UPDATE journal SET after = 'rubbish' WHERE tbl = 'rules'`,
  )
  await network.fix()
  assert.equal(network.get(rules, 'first'), undefined)
  assert.deepEqual(await network.check(), [])
})

describe('a run', () => {
  test('that mends leaves a snapshot of what was there before, and one that finds nothing does not', async () => {
    await using folder = await temporaryFolder()
    const broken = `UPDATE rows SET data = 'rubbish' WHERE tbl = 'rules'`
    await using network = await damagedNetwork(folder.path, broken)
    const snapshots = () => readdirSync(folder.path).filter((name) => /^network\.db-\d{8}-\d{6}/.test(name))
    await network.fix()
    assert.equal(snapshots().length, 1)
    await network.fix()
    assert.equal(snapshots().length, 1)
    await using store = await SqliteStore.open({
      file: join(folder.path, basename(snapshots()[0]!)),
      clock: systemClock,
    })
    const stored: string[] = []
    await store.load((rows) => {
      for (const { table, data } of rows) if (table === 'rules') stored.push(data)
    })
    assert.deepEqual(stored, ['rubbish'])
  })

  test('is refused while another is under way, and reports from its beginning to its end', async () => {
    await using folder = await temporaryFolder()
    await using network = await SampleNetwork.open(folder.path)
    const { integrity } = network
    assert.deepEqual(integrity.report, {
      inProgress: false,
      fixingErrors: false,
      tooManyErrors: false,
      startTime: null,
      endTime: null,
      error: null,
      results: [],
    })
    assert.equal(integrity.start('fix'), true)
    assert.equal(integrity.start('check'), false)
    assert.equal(integrity.start('fix'), false)
    assert.deepEqual([integrity.report.inProgress, integrity.report.fixingErrors], [true, true])
    assert.equal(integrity.report.endTime, null)
    await integrity.finished()
    assert.equal(integrity.report.inProgress, false)
    assert.ok(integrity.report.endTime! >= integrity.report.startTime!)
    assert.equal(integrity.start('check'), true)
    await integrity.finished()
  })

  test('reports a thousand findings and says that there are more', async () => {
    await using folder = await temporaryFolder()
    await using network = await damagedNetwork(
      folder.path,
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1001)
       INSERT INTO rows (tbl, id, data) SELECT 'members', 'm' || i, 'rubbish' FROM n`,
    )
    assert.equal((await network.check()).length, 1_000)
    assert.equal(network.integrity.report.tooManyErrors, true)
    await network.fix()
    assert.equal(network.integrity.report.tooManyErrors, true)
    assert.equal((await network.check()).length, 1)
    await network.fix()
    assert.deepEqual(await network.check(), [])
    assert.equal(network.integrity.report.tooManyErrors, false)
  })

  test('that cannot read the store says so', async () => {
    await using folder = await temporaryFolder()
    const network = await SampleNetwork.open(folder.path)
    await network.core[Symbol.asyncDispose]()
    network.integrity.start('check')
    await network.integrity.finished()
    assert.equal(network.integrity.report.error, 'the controller is stopping')
  })

  test('ends early when the controller stops', async () => {
    await using folder = await temporaryFolder()
    const network = await SampleNetwork.open(folder.path)
    await network.populate()
    network.integrity.start('check')
    await network[Symbol.asyncDispose]()
    assert.equal(network.integrity.report.inProgress, false)
    assert.equal(network.integrity.report.error, 'the controller is stopping')
    assert.equal(network.integrity.start('check'), false)
  })
})

function everything(network: SampleNetwork): unknown {
  return [groups, members, keys, rules].map((table) => [...network.core.kit.view.rows(table)])
}
