/**
 * Hot (bench/api.ts, gets and lists): how records of one resource are made, worked out once from its declaration.
 *
 * What depends on the row alone is kept as JSON text for a while, because most rows are read more often than they change;
 * what is live, or tells of another entity, is looked up each time.
 */
import type { Row } from '../state/row.ts'
import type { Field } from './fields.ts'
import type { RecentTexts } from './recent-texts.ts'
import type { Rendering, Resource } from './resource.ts'

/** A member that follows from the row; undefined leaves it out. */
interface FixedMember {
  readonly name: string
  readonly value: (row: Row) => unknown
}

/** A member that is made each time; undefined leaves it out. */
interface LiveMember {
  readonly name: string
  /** What stands before its value, in text. */
  readonly label: string
  readonly value: (row: Row, rendering: Rendering) => unknown
  readonly text: (row: Row, rendering: Rendering) => string | undefined
}

export interface RecordPlanDeps {
  readonly texts: RecentTexts
  readonly links: (resource: Resource, row: Row) => unknown
  /** A reference to the row a field names, as value and as text. */
  readonly reference: (field: Field, id: string, rendering: Rendering) => unknown
  readonly referenceText: (field: Field, id: string, rendering: Rendering) => string | undefined
}

export class RecordPlan {
  readonly #texts: RecentTexts
  readonly #fixed: readonly FixedMember[]
  readonly #live: readonly LiveMember[]

  constructor(resource: Resource, deps: RecordPlanDeps) {
    const live = resource.live ?? {}
    const fixed = fixedMembers(resource, deps)
    this.#texts = deps.texts
    this.#fixed = fixed.filter(({ name }) => !Object.hasOwn(live, name))
    this.#live = [
      ...referenceMembers(resource, deps).filter(({ name }) => !Object.hasOwn(live, name)),
      ...Object.entries(live).map(([name, value]) => liveMember(name, value, fixed)),
    ]
  }

  record(row: Row, rendering: Rendering): Record<string, unknown> {
    const record: Record<string, unknown> = {}
    for (const { name, value } of this.#fixed) put(record, name, value(row))
    for (const { name, value } of this.#live) put(record, name, value(row, rendering))
    return record
  }

  /** The same record as JSON. */
  text(row: Row, rendering: Rendering): string {
    let text = this.#texts.get(row) ?? this.#fixedText(row)
    for (const member of this.#live) {
      const json = member.text(row, rendering)
      if (json !== undefined) text += member.label + json
    }
    return `${text}}`
  }

  #fixedText(row: Row): string {
    const parts: string[] = []
    let separator = '{'
    for (const { name, value } of this.#fixed) {
      const json = jsonOf(value(row))
      if (json === undefined) continue
      parts.push(separator, '"', name, '":', json)
      separator = ','
    }
    const text = parts.join('')
    this.#texts.set(row, text)
    return text
  }
}

function put(record: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) record[name] = value
}

/** `JSON.stringify` with short ways for what members mostly are. */
function jsonOf(value: unknown): string | undefined {
  if (value === true) return 'true'
  if (value === false) return 'false'
  if (value === null) return 'null'
  if (Array.isArray(value) && value.length === 0) return '[]'
  return JSON.stringify(value)
}

function fixedMembers(resource: Resource, { links }: RecordPlanDeps): readonly FixedMember[] {
  const members: FixedMember[] = [
    { name: 'id', value: ({ id }) => id },
    { name: 'createdAt', value: ({ createdAt }) => createdAt },
    { name: 'updatedAt', value: ({ updatedAt }) => updatedAt },
    { name: 'tags', value: ({ tags }) => tags },
    { name: '_links', value: (row) => links(resource, row) },
  ]
  for (const [name, field] of Object.entries(resource.fields)) {
    if (field.shown === 'never' || field.isTransient) continue
    const value = shownValue(name, field)
    const isOfVariant = variantTest(resource, field)
    members.push({ name, value: isOfVariant === undefined ? value : (row) => (isOfVariant(row) ? value(row) : undefined) })
  }
  return members
}

function shownValue(name: string, field: Field): (row: Row) => unknown {
  const read = reader(name)
  if (field.shown === 'when set') {
    return (row) => {
      const value = read(row)
      return isSet(value) ? value : undefined
    }
  }
  if (!field.isNullWhenEmpty) return read
  return (row) => {
    const value = read(row)
    return Array.isArray(value) && value.length === 0 ? null : value
  }
}

function reader(name: string): (row: Row) => unknown {
  return (row) => (row as unknown as Readonly<Record<string, unknown>>)[name]
}

function referenceMembers(resource: Resource, { reference, referenceText }: RecordPlanDeps): readonly LiveMember[] {
  const members: LiveMember[] = []
  for (const [name, field] of Object.entries(resource.fields)) {
    const shownAs = field.refersTo?.shownAs
    if (shownAs === undefined || field.shown === 'never' || field.isTransient) continue
    const read = reader(name)
    const isOfVariant = variantTest(resource, field) ?? (() => true)
    const idIn = (row: Row) => {
      const id = read(row)
      return typeof id === 'string' && id !== '' && isOfVariant(row) ? id : undefined
    }
    members.push({
      name: shownAs,
      label: labelOf(shownAs),
      value: (row, rendering) => {
        const id = idIn(row)
        return id === undefined ? undefined : reference(field, id, rendering)
      },
      text: (row, rendering) => {
        const id = idIn(row)
        return id === undefined ? undefined : referenceText(field, id, rendering)
      },
    })
  }
  return members
}

/** A live member without a value leaves what the field of its name says. */
function liveMember(
  name: string,
  live: (row: Row, rendering: Rendering) => unknown,
  fixed: readonly FixedMember[],
): LiveMember {
  const field = fixed.find((member) => member.name === name)
  const value =
    field === undefined
      ? live
      : (row: Row, rendering: Rendering) => {
          const shown = live(row, rendering)
          return shown === undefined ? field.value(row) : shown
        }
  return { name, label: labelOf(name), value, text: (row, rendering) => jsonOf(value(row, rendering)) }
}

function labelOf(name: string): string {
  return `,${JSON.stringify(name)}:`
}

/** Whether a row is of a variant that has the field; undefined when all have it. */
function variantTest(resource: Resource, { onlyFor }: Field): ((row: Row) => boolean) | undefined {
  const discriminator = Object.entries(resource.fields).find(([, field]) => field.required === 'always')?.[0]
  if (onlyFor === undefined || discriminator === undefined) return undefined
  const read = reader(discriminator)
  return (row) => onlyFor.includes(String(read(row)))
}

function isSet(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  return typeof value !== 'object' || Object.keys(value).length > 0
}
