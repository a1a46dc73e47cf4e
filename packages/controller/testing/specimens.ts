/**
 * Rows and bodies of every declared resource, made from the declarations and what `subjects.ts` adds: what the laws of
 * resources are tried on.
 */
import assert from 'node:assert/strict'
import type { Operation } from '../operation/operation.ts'
import type { Field } from '../resource-kit/fields.ts'
import { resourceOperations } from '../resource-kit/operations.ts'
import type { Resource } from '../resource-kit/resource.ts'
import type { JsonSchema } from '../resource-kit/shapes.ts'
import type { Row } from '../state/row.ts'
import { propertiesOf, requiredOf, sampleValue } from './sample-value.ts'
import { type Subject, subjects, type Values } from './subjects.ts'
import type { Answered, TestController } from './test-controller.ts'

export type { Values } from './subjects.ts'

/** A resource as the laws see it; one whose rows come in variants is a specimen per variant. */
export interface Specimen {
  readonly name: string
  readonly resource: Resource
  readonly subject: Subject
  /** The member that tells the variant, and its value. */
  readonly variant: { readonly input: string; readonly value: string } | undefined
}

/** `minimal` has what is required, `full` everything that can be said. */
export type Extent = 'minimal' | 'full'

/** How each verb is asked for: of the collection, of an item, or where items are written. */
const verbs = {
  list: { method: 'GET', at: 'collection' },
  create: { method: 'POST', at: 'collection' },
  detail: { method: 'GET', at: 'item' },
  update: { method: 'PUT', at: 'written item' },
  patch: { method: 'PATCH', at: 'written item' },
  delete: { method: 'DELETE', at: 'written item' },
} as const

export type Verb = keyof typeof verbs
export type WriteVerb = 'create' | 'update' | 'patch'

export class Specimens {
  readonly controller: TestController
  readonly operations: readonly Operation[]
  readonly all: readonly Specimen[]
  #count = 0

  constructor(controller: TestController) {
    this.controller = controller
    const { kit, registry } = controller.core
    this.operations = resourceOperations(kit)
    this.all = [...registry.resources.values()].flatMap(specimensOf)
  }

  /** In letters only: names of tags are written in filters, which know no digits in names. */
  readonly fresh = (about: string): string => {
    const digits = String(++this.#count)
    return `${about.toLowerCase()}_${[...digits].map((digit) => 'abcdefghij'[Number(digit)]).join('')}`
  }

  /** A new row of a collection, as small as can be; answers its id. */
  readonly make = async (collection: string, values: Values = {}): Promise<string> => {
    const specimen = this.all.find(({ resource }) => resource.collection === collection)
    assert.ok(specimen, `there is no resource ${collection}`)
    return await this.create(specimen, 'minimal', values)
  }

  /** A new row; answers its id. */
  async create(specimen: Specimen, extent: Extent = 'minimal', values: Values = {}): Promise<string> {
    const { subject, resource } = specimen
    if (subject.row !== undefined) {
      const write = await subject.row(this)
      return (await this.controller.write(write)).id
    }
    const answer = await this.post(specimen, await this.body(specimen, 'create', extent, values))
    assert.equal(answer.status, 201, `${specimen.name} cannot be created: ${answer.text}`)
    const { id } = answer.json.data
    assert.ok(this.row(resource, id), `${specimen.name} was created and is not there`)
    return id
  }

  /** A valid body for a verb. */
  async body(specimen: Specimen, verb: WriteVerb, extent: Extent, values: Values = {}): Promise<Values> {
    const { subject, variant } = specimen
    const { always = [] } = subject
    const schema = this.operation(specimen, verb)?.body?.schema
    const body: Record<string, unknown> = variant === undefined ? {} : { [variant.input]: variant.value }
    for (const [input, member] of this.members(specimen, verb)) {
      const isNeeded = requiredOf(schema).includes(input) || (always.includes(input) && verb !== 'patch')
      if (input in values) body[input] = values[input]
      else if (isNeeded || extent === 'full') body[input] = await this.value(specimen, input, member)
    }
    return body
  }

  /** The members that a body of this verb may name, without the one that tells the variant. */
  members({ resource, subject, variant }: Specimen, verb: WriteVerb): readonly [string, JsonSchema][] {
    const { never = [] } = subject
    const schema = this.operation({ resource, subject }, verb)?.body?.schema
    return propertiesOf(schema).filter(([input]) => {
      const onlyFor = fieldBehind(resource, input)?.[1].onlyFor
      return input !== variant?.input && !never.includes(input) && (onlyFor?.includes(variant?.value ?? '') ?? true)
    })
  }

  /** A value of a member; references lead to rows that exist. */
  async value({ resource, subject }: Specimen, input: string, schema: JsonSchema): Promise<unknown> {
    const maker = subject.members?.[input]
    if (maker !== undefined) return await maker(this)
    const field = fieldBehind(resource, input)?.[1]
    if (field?.selects !== undefined) return [`#${this.fresh('role')}`]
    if (field?.refersTo === undefined) return sampleValue(schema, input, this.fresh)
    const id = await this.make(this.collectionOf(field))
    const element = schema['additionalProperties'] as JsonSchema | undefined
    if (element !== undefined) return { [id]: sampleValue(element, input, this.fresh) }
    return field.isSet ? [id] : id
  }

  /** The collection where a new target for a reference is made. */
  collectionOf({ refersTo, selects }: Field): string {
    const table = refersTo?.table ?? selects
    const known = this.all.find(({ resource }) => resource.table === table)
    assert.ok(known, `no resource keeps ${table}`)
    return refersTo?.collection ?? known.resource.collection
  }

  /** The operation of a verb, whether the resource declares it as a verb or as an action; undefined if it has none. */
  operation({ resource, subject }: Pick<Specimen, 'resource' | 'subject'>, verb: Verb): Operation | undefined {
    const { method, at } = verbs[verb]
    const below = { collection: '', item: '/{id}', 'written item': subject.itemPath ?? '/{id}' }[at]
    const wanted = `/${resource.collection}${below}`
    return this.operations.find((operation) => operation.method === method && operation.path === wanted)
  }

  has(specimen: Specimen, verb: Verb): boolean {
    return this.operation(specimen, verb) !== undefined
  }

  /** A create, whatever the body. */
  post({ resource }: Specimen, body: unknown): Promise<Answered> {
    return this.controller.askAdmin('POST', `/${resource.collection}`, body)
  }

  /** PUT, PATCH or DELETE of an item. */
  change({ resource, subject }: Specimen, verb: 'update' | 'patch' | 'delete', id: string, body?: unknown) {
    const path = `/${resource.collection}${(subject.itemPath ?? '/{id}').replace('{id}', id)}`
    return this.controller.askAdmin(verbs[verb].method, path, body)
  }

  /** The record as the administrator sees it. */
  async detail({ resource }: Specimen, id: string): Promise<Values> {
    const answer = await this.controller.askAdmin('GET', `/${resource.collection}/${id}`)
    assert.equal(answer.status, 200, answer.text)
    return answer.json.data
  }

  /** The row that is kept. */
  row(resource: Resource, id: string): (Row & Values) | undefined {
    return this.controller.core.kit.view.get(resource.table, id) as (Row & Values) | undefined
  }
}

/** The field that a member of a body sets, if it is one, with its name. */
export function fieldBehind({ fields }: Resource, input: string): readonly [string, Field] | undefined {
  return Object.entries(fields).find(([name, field]) => (field.input ?? name) === input)
}

function specimensOf(resource: Resource): readonly Specimen[] {
  const { collection: name, fields } = resource
  const subject = subjects[name]
  assert.ok(subject, `${name} is new: give it an entry in testing/subjects.ts, so that the laws can be tried on it`)
  const hasVariants = Object.values(fields).some(({ onlyFor }) => onlyFor !== undefined)
  const telling = Object.entries(fields).find(([, { required }]) => hasVariants && required === 'always')
  if (telling === undefined) return [{ name, resource, subject, variant: undefined }]
  const [input, { shape }] = telling
  const values = shape.schema['enum'] as readonly string[]
  return values.map((value) => ({ name: `${name} of ${value}`, resource, subject, variant: { input, value } }))
}
