/** The stock CLI creates, lists, updates and deletes every type of entity that has a name. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { readTable } from './cli-table.ts'
import { entityLives } from './entity-lives.ts'
import { PeerNetwork } from './peer-network.ts'

const cas = ['peer-ca', 'peer-ca-2'] as const
const network = await PeerNetwork.start(prepare)
after(() => network[Symbol.asyncDispose]())
const { cli } = network

const lives = entityLives({
  caCert: network.caCert(cas[0]),
  otherCaCert: network.caCert(cas[1]),
  jsonFile: network.path('data.json'),
  signerId: await cli.idOf('ext-jwt-signers', 'peer-signer'),
})

for (const life of lives) {
  const { words, collection, removed } = life
  const spoken = words.join(' ')
  const first = `a-${words.join('-')}`
  const second = `b-${words.join('-')}`
  const third = `c-${words.join('-')}`

  test(`${spoken}: a whole life`, async (t) => {
    let id = ''

    await t.test('created', async () => {
      const said = await cli.says('edge', 'create', ...words, first, ...life.create)
      const line = life.announced === undefined ? '' : `New ${life.announced} ${first} created with id: `
      const [announced] = said.split('\n')
      assert.ok(announced!.startsWith(line), said)
      id = announced!.slice(line.length)
      assert.equal(id, await cli.idOf(collection, first))
    })

    await t.test('shown as JSON, as a table and as CSV', async () => {
      assert.partialDeepStrictEqual(await cli.named(collection, first), life.created)
      const filter = `name = "${first}"`
      const table = await cli.says('edge', 'list', collection, filter)
      const [row] = readTable(table)
      assert.partialDeepStrictEqual(row, { ID: id, NAME: first, ...life.row }, table)
      assert.match(table, /^results: 1-1 of 1$/m)
      const csv = await cli.says('edge', 'list', collection, filter, '--csv')
      assert.match(csv, new RegExp(`^${id.replaceAll('.', '\\.')},${first}(,|$)`, 'm'))
    })

    await t.test('found by its id, and by a part of its name', async () => {
      for (const filter of [`id = "${id}"`, `name contains "${first.slice(0, -1)}" sort by name limit 1`]) {
        const [found] = await cli.list(collection, filter)
        assert.equal(found?.['id'], id, filter)
      }
    })

    await t.test('not created twice', async () => {
      const { status, stderr } = await cli.run('edge', 'create', ...words, first, ...life.create)
      assert.notEqual(status, 0)
      assert.match(stderr, /COULD_NOT_VALIDATE/)
      assert.equal((await cli.list(collection, `name = "${first}"`)).length, 1)
    })

    if (life.update !== undefined) {
      await t.test('updated', async () => {
        assert.equal(await cli.says('edge', 'update', ...words, first, '-n', second, ...life.update!), '')
        assert.deepEqual(await cli.list(collection, `name = "${first}"`), [])
        const updated = await cli.named(collection, second)
        assert.partialDeepStrictEqual(updated, { id, ...life.updated })
        for (const name of life.gone ?? []) assert.ok(!(name in updated), `${name} is still there`)
      })
    }

    if (!life.isWithoutJson) {
      await t.test('created with an answer as JSON', async () => {
        const create = life.create.map((word) => word.replace('external-1', 'external-3'))
        const { data } = await cli.json('edge', 'create', ...words, third, ...create)
        const { id: otherId } = data as { id: string }
        assert.equal(otherId, await cli.idOf(collection, third))
        assert.equal(await cli.says('edge', 'delete', removed, otherId), `${deleted(otherId)}\n`)
      })
    }

    await t.test('deleted by its name', async () => {
      const name = life.update === undefined ? first : second
      assert.equal(await cli.says('edge', 'delete', removed, name), `${deleted(id)}\n`)
      assert.match(await cli.says('edge', 'list', collection, `id = "${id}"`), /^results: none$/m)
      assert.match(await cli.says('edge', 'delete', removed, name), /^Found 0 /)
      assert.equal((await cli.run('edge', 'update', ...words, name, '-n', 'revived')).status, 1)
    })
  })

  function deleted(id: string): string {
    return `delete of ${removed} with id ${id}: OK`
  }
}

test('takes the same commands without the word edge', async () => {
  await cli.says('create', 'service', 'short')
  await cli.says('update', 'service', 'short', '-n', 'shorter')
  assert.match(await cli.says('list', 'services', 'name = "shorter"'), /^results: 1-1 of 1$/m)
  assert.match(await cli.says('delete', 'service', 'shorter'), /: OK$/m)
})

test('deletes what a filter finds', async () => {
  for (const name of ['where-1', 'where-2', 'kept']) await cli.says('edge', 'create', 'service', name)
  const said = await cli.says('edge', 'delete', 'services', 'where', 'name contains "where-"')
  assert.match(said, /^filter returned results: 1-2 of 2$/m)
  assert.equal([...said.matchAll(/^delete of service with id \S+: OK$/gm)].length, 2)
  assert.deepEqual(
    (await cli.list('services', 'sort by name')).map(({ name }) => name),
    ['kept', 'peer-service'],
  )
})

test('deletes several at once, and forgives those that are missing', async () => {
  for (const name of ['many-1', 'many-2']) await cli.says('edge', 'create', 'service', name)
  const said = await cli.says('edge', 'delete', 'service', 'many-1', 'many-2')
  assert.equal([...said.matchAll(/: OK$/gm)].length, 2)
  await cli.says('edge', 'delete', 'service', 'many-1', '--ignore-missing')
})

test('refuses to delete what is in use', async () => {
  assert.match(await cli.refuses('edge', 'delete', 'config-type', 'peer-type'), /409.*CAN_NOT_DELETE_REFERENCED_ENTITY/)
  assert.match(await cli.refuses('edge', 'delete', 'identity', 'admin'), /400.*ENTITY_CAN_NOT_BE_DELETED/)
  assert.match(await cli.refuses('edge', 'delete', 'auth-policy', 'peer-rules'), /409/)
})

/** What the entities of the lives refer to. */
async function prepare(network: PeerNetwork): Promise<void> {
  const create = (...args: string[]) => network.cli.says('edge', 'create', ...args)
  const issuer = 'https://peer.example'
  await create('config-type', 'peer-type', '{"type":"object","properties":{"port":{"type":"integer"}}}')
  await create('config', 'peer-config', 'peer-type', '{"port":1}')
  await create('config-type', 'peer-router-type', '--target', 'router')
  await create('config', 'peer-router-config', 'peer-router-type', '{"any":1}')
  await create('auth-policy', 'peer-rules', '--primary-updb-allowed')
  await create('identity', 'peer-user', '-P', 'peer-rules')
  await create('service', 'peer-service')
  await create('edge-router', 'peer-router')
  await create('posture-check', 'domain', 'peer-check', '-d', 'a.example')
  await create('ext-jwt-signer', 'peer-signer', issuer, '-u', `${issuer}/jwks`, '-a', 'audience')
  await network.write('data.json', { port: 23 })
  for (const name of cas) await network.makeCa(name, '--curve', 'P256')
}
