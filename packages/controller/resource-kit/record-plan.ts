/**
 * Hot (bench/api.ts, gets and lists): how records of one resource are made, worked out once from its declaration.
 *
 * As text they are put together member by member, which costs a third of building objects and turning those into JSON.
 * What follows from the row alone is kept for a while, because most rows are read more often than they change; what is
 * live, or tells of another entity, is looked up each time.
 */
import type { Row } from '../state/row.ts'
import { linksOf, linksText, referenceTo } from './entity-reference.ts'
import type { Field } from './fields.ts'
import type { RecentTexts } from './recent-texts.ts'
import type { Registry } from './registry.ts'
import type { Rendering, Resource } from './resource.ts'

/** A member that follows from the row. A description, not a function: calling many of those costs more than the rest. */
interface FixedMember {
  readonly name: string
  /** What stands before its value, in text. */
  readonly label: string
  readonly isNullWhenEmpty: boolean
  readonly isLeftOutUnset: boolean
  /** Left out of rows that are of no such variant. */
  readonly onlyFor: readonly string[] | undefined
}

/** A member that is made each time; undefined leaves it out. */
interface LiveMember {
  readonly name: string
  readonly label: string
  readonly value: (row: Row, rendering: Rendering) => unknown
  readonly text: (row: Row, rendering: Rendering) => string | undefined
}

export interface RecordPlanDeps {
  readonly registry: Registry
  /** The texts of what follows from the row alone. */
  readonly texts: RecentTexts
  /** The texts of references. */
  readonly references: RecentTexts
}

type Values = Readonly<Record<string, unknown>>

export class RecordPlan {
  readonly #resource: Resource
  readonly #texts: RecentTexts
  readonly #links: (row: Row) => string
  /** The field that says of which variant a row is. */
  readonly #variant: string
  readonly #fixed: readonly FixedMember[]
  readonly #live: readonly LiveMember[]

  constructor(resource: Resource, { registry, texts, references }: RecordPlanDeps) {
    const live = resource.live ?? {}
    const fixed = fixedMembers(resource)
    this.#resource = resource
    this.#texts = texts
    this.#links = linksText(resource)
    this.#variant = Object.entries(resource.fields).find(([, field]) => field.required === 'always')?.[0] ?? ''
    this.#fixed = fixed.filter(({ name }) => !Object.hasOwn(live, name))
    const members: LiveMember[] = []
    for (const [name, field] of Object.entries(resource.fields)) {
      const shownAs = field.refersTo?.shownAs
      if (shownAs === undefined || isHidden(field) || Object.hasOwn(live, shownAs)) continue
      members.push(referenceMember(name, shownAs, shownTarget(field, registry), references))
    }
    for (const [name, value] of Object.entries(live)) {
      const overridden = fixed.find((member) => member.name === name)
      members.push(liveMember(name, overridden === undefined ? value : this.#unlessFixed(value, overridden)))
    }
    this.#live = members
  }

  record(row: Row, rendering: Rendering): Record<string, unknown> {
    const record: Record<string, unknown> = { _links: linksOf(this.#resource, row) }
    for (const member of this.#fixed) put(record, member.name, this.#fixedValue(member, row as unknown as Values))
    for (const { name, value } of this.#live) put(record, name, value(row, rendering))
    return record
  }

  /** The same record as JSON. */
  text(row: Row, rendering: Rendering): string {
    let text = this.#texts.get(row, this) ?? this.#fixedText(row)
    for (const member of this.#live) {
      const json = member.text(row, rendering)
      if (json !== undefined) text += member.label + json
    }
    return `${text}}`
  }

  #fixedText(row: Row): string {
    const parts = ['{"_links":', this.#links(row)]
    for (const member of this.#fixed) {
      const json = jsonOf(this.#fixedValue(member, row as unknown as Values))
      if (json !== undefined) parts.push(member.label, json)
    }
    const text = parts.join('')
    this.#texts.set(row, this, text)
    return text
  }

  #fixedValue(member: FixedMember, values: Values): unknown {
    if (member.onlyFor !== undefined && !member.onlyFor.includes(String(values[this.#variant]))) return undefined
    const value = values[member.name]
    if (member.isLeftOutUnset) return isSet(value) ? value : undefined
    return member.isNullWhenEmpty && Array.isArray(value) && value.length === 0 ? null : value
  }

  /** A live member without a value leaves what the field of its name says. */
  #unlessFixed(live: LiveMember['value'], member: FixedMember): LiveMember['value'] {
    return (row, rendering) => {
      const shown = live(row, rendering)
      return shown === undefined ? this.#fixedValue(member, row as unknown as Values) : shown
    }
  }
}

function put(record: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) record[name] = value
}

/** `JSON.stringify` with short ways for what members mostly are. */
function jsonOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      if (Array.isArray(value)) return value.length === 0 ? '[]' : JSON.stringify(value)
      return isEmptyObject(value) ? '{}' : JSON.stringify(value)
    default:
      return JSON.stringify(value)
  }
}

function isEmptyObject(value: object): boolean {
  for (const _ in value) return false
  return Object.getPrototypeOf(value) === Object.prototype
}

function isHidden({ shown, isTransient }: Field): boolean {
  return shown === 'never' || isTransient === true
}

function fixedMembers({ fields }: Resource): readonly FixedMember[] {
  const plain = { isNullWhenEmpty: false, isLeftOutUnset: false, onlyFor: undefined }
  const base = ['id', 'createdAt', 'updatedAt', 'tags'].map((name) => ({ name, label: labelOf(name), ...plain }))
  const shown = Object.entries(fields).filter(([, field]) => !isHidden(field))
  return base.concat(
    shown.map(([name, field]) => ({
      name,
      label: labelOf(name),
      isNullWhenEmpty: field.isNullWhenEmpty === true,
      isLeftOutUnset: field.shown === 'when set',
      onlyFor: field.onlyFor,
    })) as typeof base,
  )
}

function liveMember(name: string, value: LiveMember['value']): LiveMember {
  return { name, label: labelOf(name), value, text: (row, rendering) => jsonOf(value(row, rendering)) }
}

function referenceMember(name: string, shownAs: string, target: Resource, references: RecentTexts): LiveMember {
  const rowIn = (row: Row, { view }: Rendering) => {
    const id = (row as unknown as Values)[name]
    return typeof id === 'string' && id !== '' ? (view.get(target.table, id) as Row | undefined) : undefined
  }
  const newText = (row: Row) => {
    const text = JSON.stringify(referenceTo(target, row))
    references.set(row, target, text)
    return text
  }
  return {
    name: shownAs,
    label: labelOf(shownAs),
    value: (row, rendering) => {
      const found = rowIn(row, rendering)
      return found && referenceTo(target, found)
    },
    text: (row, rendering) => {
      const found = rowIn(row, rendering)
      return found && (references.get(found, target) ?? newText(found))
    },
  }
}

/** The resource whose links a reference carries: the one that is named, or the first that lives in the table. */
function shownTarget({ refersTo }: Field, { resources }: Registry): Resource {
  for (const resource of resources.values()) {
    const { collection, table } = resource
    if (refersTo!.collection === undefined ? table === refersTo!.table : collection === refersTo!.collection) {
      return resource
    }
  }
  throw new Error(`no collection shows ${refersTo!.table}`)
}

function labelOf(name: string): string {
  return `,${JSON.stringify(name)}:`
}

function isSet(value: unknown): boolean {
  if (value === null || value === undefined || value === false || value === 0 || value === '') return false
  if (Array.isArray(value)) return value.length > 0
  return typeof value !== 'object' || Object.keys(value).length > 0
}
