/** Deleting unlinks, cascades or is refused as each referring field declares: tried on every reference there is. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Referrer } from '../resource-kit/registry.ts'
import type { TableName } from '../state/row.ts'
import { sampleValue } from '../testing/sample-value.ts'
import { type Specimen, Specimens, type Values } from '../testing/specimens.ts'
import { type Answered, TestController } from '../testing/test-controller.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const specimens = new Specimens(controller)
const { registry, tables } = controller.core

interface Link {
  readonly targetTable: string
  readonly referrer: Referrer
}

const links: readonly Link[] = [...registry.tables.keys()].flatMap((targetTable) =>
  registry.referrers(targetTable).map((referrer) => ({ targetTable, referrer })),
)

/** Where a target must be of a kind, or a field follows from another. */
const special: Readonly<
  Record<string, { target?: () => Promise<string>; values?: (ids: readonly string[]) => Promise<Values> }>
> = {
  'routers.configs': {
    target: async () => {
      const configTypeId = await specimens.make('config-types', { target: 'router' })
      return await specimens.make('configs', { configTypeId })
    },
  },
  'identities.serviceConfigs': {
    values: async (ids) => ({ serviceConfigs: Object.fromEntries(ids.map((id) => [id, {}])) }),
  },
  'identities.overridingConfigs': {
    values: async ([id]) => ({ serviceConfigs: { [await specimens.make('services')]: { type: id } } }),
  },
}

describe('when a target is deleted', () => {
  for (const link of links) {
    const { table, fieldName, field } = link.referrer
    const policy = field.selects === undefined ? field.refersTo!.onTargetDeleted : 'unlink'
    const name = `${table}.${fieldName}`
    if (policy === 'refuse') test(`${name} refuses it`, () => refuses(link))
    else if (policy === 'cascade') test(`the row of ${name} goes with it`, () => cascades(link))
    else test(`${name} forgets it`, () => unlinks(link))
  }
})

describe('what was deleted is gone', () => {
  for (const specimen of specimens.all) {
    if (!specimens.has(specimen, 'delete')) continue
    test(specimen.name, async () => {
      const id = await specimens.create(specimen, 'full')
      const answer = await remove(specimen, id)
      assert.equal(answer.status, 200, answer.text)
      assert.equal(specimens.row(specimen.resource, id), undefined)
      const again = await remove(specimen, id)
      assert.equal(again.status, 404, again.text)
      const detail = await controller.askAdmin('GET', `/${specimen.resource.collection}/${id}`)
      assert.equal(detail.status, 404, detail.text)
    })
  }
})

async function refuses(link: Link): Promise<void> {
  const { target, targetId, referrerId } = await linked(link)
  const held = rowOf(link, referrerId)
  const answer = await remove(target, targetId)
  assert.equal(answer.status, 409, answer.text)
  assert.equal(answer.json.error.code, 'CAN_NOT_DELETE_REFERENCED_ENTITY')
  assert.ok(answer.json.error.cause.value.includes(referrerId), answer.text)
  assert.ok(specimens.row(target.resource, targetId))
  assert.deepEqual(rowOf(link, referrerId), held)
  await controller.write((change) => change.remove(link.referrer.table as TableName, referrerId))
  const later = await remove(target, targetId)
  assert.equal(later.status, 200, later.text)
}

async function cascades(link: Link): Promise<void> {
  const { target, targetId, referrerId } = await linked(link)
  const { referrerId: bystander } = await linked(link)
  await removed(target, targetId)
  assert.equal(rowOf(link, referrerId), undefined)
  assert.ok(rowOf(link, bystander))
}

async function unlinks(link: Link): Promise<void> {
  const { target, targetId, otherId, referrerId } = await linked(link)
  const { fieldName, field } = link.referrer
  const before = rowOf(link, referrerId)!
  assert.ok(JSON.stringify(before[fieldName]).includes(targetId))
  await removed(target, targetId)
  const left = rowOf(link, referrerId)!
  assert.deepEqual({ ...left, updatedAt: before.updatedAt }, { ...before, [fieldName]: left[fieldName] })
  assert.ok(left.updatedAt > before.updatedAt)
  assert.ok(!JSON.stringify(left[fieldName]).includes(targetId))
  if (field.isSet || isMap(link)) assert.ok(JSON.stringify(left[fieldName]).includes(otherId), 'the others stay')
}

/** A row that refers to a new target and, where a field holds several, to another one beside it. */
async function linked({ targetTable, referrer }: Link) {
  const { table, fieldName, field } = referrer
  const { target: makeTarget, values: makeValues } = special[`${table}.${fieldName}`] ?? {}
  const collection = specimens.collectionOf(field)
  const target = specimens.all.find(({ resource }) => resource.collection === collection)!
  assert.equal(target.resource.table, targetTable)
  const make = makeTarget ?? (() => specimens.make(collection))
  const ids = [await make(), await make()] as const
  const owner = specimens.all.find(({ resource }) => resource.table === table)!
  const referrerId = await specimens.create(owner)
  const values = makeValues ? await makeValues(ids) : { [fieldName]: reference(referrer, ids) }
  await controller.write((change) => change.update(table as TableName, referrerId, values))
  return { target, targetId: ids[0], otherId: ids[1], referrerId }
}

function reference({ field }: Referrer, ids: readonly string[]): unknown {
  if (field.selects !== undefined) return ids.map((id) => `@${id}`)
  if (field.isSet) return ids
  if (typeof field.default !== 'object' || field.default === null) return ids[0]
  const element = (field.shape.schema['additionalProperties'] ?? {}) as Values
  return Object.fromEntries(ids.map((id) => [id, sampleValue(element, 'element', specimens.fresh)]))
}

function isMap({ referrer: { field } }: Link): boolean {
  return typeof field.default === 'object' && field.default !== null && !Array.isArray(field.default)
}

function rowOf({ referrer }: Link, id: string) {
  const owner = specimens.all.find(({ resource }) => resource.table === referrer.table)!
  return specimens.row(owner.resource, id)
}

/** By the API where it can be deleted there, else as the controller does it. */
async function removed(specimen: Specimen, id: string): Promise<void> {
  if (specimens.has(specimen, 'delete')) {
    const answer = await remove(specimen, id)
    assert.equal(answer.status, 200, answer.text)
  } else await controller.write((change) => change.remove(specimen.resource.table, id))
  assert.equal(tables.get(specimen.resource.table, id), undefined)
}

function remove(specimen: Specimen, id: string): Promise<Answered> {
  return specimens.change(specimen, 'delete', id)
}
