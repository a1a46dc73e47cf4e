/**
 * Fields declared secret are kept and used, and otherwise never seen: not in answers, the journal, events, filters or the
 * log. Tried on every declared resource.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { symbolsOf } from '../resource-kit/symbols.ts'
import { type Specimen, Specimens } from '../testing/specimens.ts'
import { TestController } from '../testing/test-controller.ts'

/** Credentials whose purpose is to be handed on by whoever may manage them. */
const handedOut = ['enrollments.token', 'enrollments.jwt']

interface Secret {
  readonly name: string
  readonly value: string
}

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const specimens = new Specimens(controller)
const { registry, store, tables } = controller.core
const secrets: Secret[] = []
const ids: { readonly specimen: Specimen; readonly id: string }[] = []

before(async () => {
  for (const specimen of specimens.all) {
    const { table } = specimen.resource
    const id = await specimens.create(specimen, 'full')
    ids.push({ specimen, id })
    // Twice, so that there is a row before and a row after that hold one.
    for (let write = 0; write < 2; write++) {
      const values = registry.table(table).secrets.map((name) => [name, newSecret(`${table}.${name}`)])
      if (values.length > 0) await controller.write((change) => change.update(table, id, Object.fromEntries(values)))
    }
  }
  const identityId = await specimens.make('identities')
  const body = { identityId, method: 'updb', username: 'secretive', password: newSecret('the password itself') }
  const { status, text } = await controller.askAdmin('POST', '/authenticators', body)
  assert.equal(status, 201, text)
})

test('every secret there is took part, and the rows hold it', () => {
  const declared = [...registry.tables.values()].flatMap((table) => table.secrets.map((name) => [table.name, name]))
  assert.ok(declared.length >= 7, 'the declarations have lost their secrets')
  const rows = JSON.stringify(ids.map(({ specimen, id }) => tables.get(specimen.resource.table, id)))
  for (const [table, field] of declared) {
    const secret = secrets.findLast(({ name }) => name === `${table}.${field}`)
    assert.ok(secret !== undefined && rows.includes(secret.value), `${table}.${field}`)
  }
})

test('only what is meant to be handed on is shown', () => {
  const shown = [...registry.resources.values()].flatMap(({ table, fields }) =>
    Object.entries(fields)
      .filter(([, field]) => field.isSecret && field.shown !== 'never')
      .map(([name]) => `${table}.${name}`),
  )
  assert.deepEqual(shown, handedOut)
})

describe('no answer shows them', () => {
  for (const specimen of specimens.all) {
    const reads = specimens.operations.filter(
      ({ method, path }) => method === 'GET' && path.split('/')[1] === specimen.resource.collection,
    )
    for (const { path } of reads) {
      test(`GET ${path} (${specimen.name})`, async () => {
        const { id } = ids.find((known) => known.specimen === specimen)!
        const serviceId = await specimens.make('services')
        const address = path.replace('{id}', id).replace('{serviceId}', serviceId)
        const answer = await controller.askAdmin('GET', path.includes('{') ? address : `${address}?limit=500`)
        assert.equal(answer.status, 200, answer.text)
        assertWithout(
          answer.text,
          secrets.filter(({ name }) => !handedOut.includes(name)),
        )
      })
    }
  }
})

test('no list can be filtered by them', () => {
  for (const resource of registry.resources.values()) {
    const names = [...symbolsOf(resource).symbols.keys()]
    for (const [name, field] of Object.entries(resource.fields)) {
      if (!field.isSecret) continue
      assert.ok(!names.includes(name) && field.symbol === undefined, `${resource.collection}.${name}`)
    }
  }
})

test('no refusal repeats them', async () => {
  const identityId = await specimens.make('identities')
  const long = randomBytes(60).toString('hex')
  const base = { identityId, method: 'updb', username: 'refused' }
  for (const password of ['k9!q', long, [long], { long }]) {
    const answer = await controller.askAdmin('POST', '/authenticators', { ...base, password })
    assert.equal(answer.status, 400)
    assertWithout(answer.text, [{ name: 'password', value: typeof password === 'string' ? password : long }])
  }
  const terminators = specimens.all.find(({ resource }) => resource.collection === 'terminators')!
  const body = await specimens.body(terminators, 'create', 'full', { identitySecret: `${long}!` })
  const answer = await specimens.post(terminators, body)
  assert.equal(answer.status, 400, answer.text)
  assertWithout(answer.text, [{ name: 'identitySecret', value: long }])
})

test('journal, events and log never hear of them', async () => {
  for (const { specimen, id } of ids) {
    await controller.write((change) => change.remove(specimen.resource.table, id))
  }
  const journal = JSON.stringify(await store.journal({ after: 0 }))
  const events = await controller.stop()
  for (const { specimen, id } of ids) assert.ok(journal.includes(id), `${specimen.name} is missing in the journal`)
  assert.ok(events.includes(ids[0]!.id), 'there were no events')
  assertWithout(journal, secrets)
  assertWithout(events, secrets)
  assertWithout(controller.logged.join(''), secrets)
})

function newSecret(name: string): string {
  const value = randomBytes(24).toString('hex')
  secrets.push({ name, value })
  return value
}

function assertWithout(text: string, unwanted: readonly Secret[]): void {
  for (const { name, value } of unwanted) assert.ok(!text.includes(value), `${name} is told`)
}
