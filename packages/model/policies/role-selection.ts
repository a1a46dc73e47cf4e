/**
 * Which entities a list of roles selects.
 *
 * A role is `#attribute`, `@id` or `#all`. The semantic speaks of attributes only: ids always select. An empty list
 * selects nothing.
 */
export type Semantic = 'AllOf' | 'AnyOf'

/** The term under which everything stands. */
export const everything = '#all'

/** Whether an entity with these attributes is selected. */
export function selects(
  roles: readonly string[],
  semantic: Semantic,
  id: string,
  attributes: readonly string[],
): boolean {
  let hasAttribute = false
  let hasAll = true
  let hasAny = false
  for (const role of roles) {
    if (role === everything) return true
    if (role.startsWith('@')) {
      if (role.length === id.length + 1 && role.endsWith(id)) return true
      continue
    }
    hasAttribute = true
    if (attributes.includes(role.slice(1))) hasAny = true
    else hasAll = false
  }
  return hasAttribute && (semantic === 'AllOf' ? hasAll : hasAny)
}

/** What must be known of the entities to list those that are selected. */
export interface Candidates {
  /** Every id, in order. */
  all(): Iterable<string>
  has(id: string): boolean
  withAttribute(attribute: string): Iterable<string>
  /** May be an upper bound. */
  countWithAttribute(attribute: string): number
  attributesOf(id: string): readonly string[]
}

/** The ids a list of roles selects, each once. Costs what is selected, not what exists. */
export function* selected(roles: readonly string[], semantic: Semantic, candidates: Candidates): Generator<string> {
  if (roles.includes(everything)) {
    yield* candidates.all()
    return
  }
  const seen = new Set<string>()
  for (const role of roles) {
    if (!role.startsWith('@')) continue
    const id = role.slice(1)
    if (seen.has(id) || !candidates.has(id)) continue
    seen.add(id)
    yield id
  }
  const attributes = roles.filter((role) => role.startsWith('#')).map((role) => role.slice(1))
  if (attributes.length === 0) return
  const from = semantic === 'AnyOf' ? attributes : [rarest(attributes, candidates)]
  for (const attribute of from) {
    for (const id of candidates.withAttribute(attribute)) {
      if (seen.has(id)) continue
      if (semantic === 'AllOf' && !hasEvery(candidates.attributesOf(id), attributes)) continue
      seen.add(id)
      yield id
    }
  }
}

/** A list of roles with what its attributes mean. */
export interface RoleList {
  readonly roles: readonly string[]
  readonly semantic: Semantic
}

/**
 * The ids that at least one of several lists selects. An attribute is looked up once, however many lists name it: a
 * thousand policies over everybody cost as much as one.
 */
export function selectedByAny(lists: Iterable<RoleList>, candidates: Candidates): Set<string> {
  const alone = new Set<string>()
  const together = new Map<string, RoleList>()
  for (const { roles, semantic } of lists) {
    const areAttributesTold = semantic === 'AnyOf' || attributeCount(roles) <= 1
    if (areAttributesTold) for (const role of roles) alone.add(role)
    else together.set(JSON.stringify(roles), { roles, semantic })
  }
  if (alone.has(everything)) return new Set(candidates.all())
  const found = new Set(selected([...alone], 'AnyOf', candidates))
  for (const { roles, semantic } of together.values()) {
    for (const id of selected(roles, semantic, candidates)) found.add(id)
  }
  return found
}

function attributeCount(roles: readonly string[]): number {
  let count = 0
  for (const role of roles) if (role.startsWith('#')) count++
  return count
}

/** The terms under which policies that may select an entity stand. */
export function* termsOf(id: string, attributes: readonly string[]): Generator<string> {
  yield everything
  yield `@${id}`
  for (const attribute of attributes) yield `#${attribute}`
}

function rarest(attributes: readonly string[], candidates: Candidates): string {
  let best = attributes[0]!
  let least = candidates.countWithAttribute(best)
  for (const attribute of attributes) {
    const count = candidates.countWithAttribute(attribute)
    if (count < least) {
      best = attribute
      least = count
    }
  }
  return best
}

function hasEvery(held: readonly string[], wanted: readonly string[]): boolean {
  for (const attribute of wanted) if (!held.includes(attribute)) return false
  return true
}
