import { foundNode, isValue, type Kind, type Outcome, refuse } from './kind.ts'
import type { Place } from './place.ts'
import type { YamlNode } from './yaml-tree.ts'

/** A list. Items that are wrong are left out of what was read, each with its problem. */
export function listOf<T>(item: Kind<T>, options: { readonly atLeast?: number } = {}): Kind<readonly T[]> {
  const { atLeast = 0 } = options
  const wanted = `a list${atLeast > 0 ? ` of at least ${atLeast}` : ''}, each ${item.wanted}`
  return {
    wanted,
    parts: { form: 'list', of: item as Kind<unknown> },
    read(node, place) {
      if (node.form !== 'list') return refuse(node, place, wanted, foundNode(node))
      if (node.items.length < atLeast) return refuse(node, place, wanted, `${node.items.length}`)
      return node.items.map((entry, index) => item.read(entry, place.item(index, entry.span))).filter(isValue)
    },
    show: (values) => `[${values.map((value) => item.show(value)).join(', ')}]`,
  }
}

/** A list, or one of its items alone. */
export function oneOrMore<T>(item: Kind<T>): Kind<readonly T[]> {
  const list = listOf(item)
  return {
    ...list,
    wanted: `${item.wanted}, or a list of them`,
    read(node, place) {
      if (node.form === 'list') return list.read(node, place)
      const only = item.read(node, place)
      return isValue(only) ? [only] : only
    },
  }
}

/** A section whose keys are names the user chooses. */
export function mapOf<T>(value: Kind<T>): Kind<Readonly<Record<string, T>>> {
  const wanted = `a section of names, each ${value.wanted}`
  return {
    wanted,
    parts: { form: 'map', of: value as Kind<unknown> },
    read(node, place) {
      if (node.form !== 'section') return refuse(node, place, wanted, foundNode(node))
      const values: [string, T][] = []
      for (const [name, entry] of node.entries) {
        const outcome = value.read(entry.value, place.key(name, entry.keySpan))
        if (isValue(outcome)) values.push([name, outcome])
      }
      // fromEntries defines own properties, so a key named __proto__ is only a key.
      return Object.fromEntries(values)
    },
    show: () => '{}',
  }
}

/** What free-form values become. */
export type FreeValue = null | boolean | number | string | readonly FreeValue[] | { readonly [key: string]: FreeValue }

/** Anything, as plain data: for parts of a file that someone else understands. */
export function freeForm(): Kind<FreeValue> {
  return {
    wanted: 'anything',
    read: (node, place): Outcome<FreeValue> => freeValue(node, place),
    show: (value) => JSON.stringify(value),
  }
}

/** A section of anything. */
export function freeSection(): Kind<Readonly<Record<string, FreeValue>>> {
  const wanted = 'a section'
  return {
    wanted,
    read(node, place) {
      if (node.form !== 'section') return refuse(node, place, wanted, foundNode(node))
      return freeValue(node, place) as Record<string, FreeValue>
    },
    show: (value) => JSON.stringify(value),
  }
}

function freeValue(node: YamlNode, place: Place): FreeValue {
  if (node.form === 'list') return node.items.map((item, index) => freeValue(item, place.item(index, item.span)))
  if (node.form === 'section') {
    return Object.fromEntries(
      [...node.entries].map(([name, entry]) => [name, freeValue(entry.value, place.key(name, entry.keySpan))]),
    )
  }
  const scalar = place.scalar(node)!
  return scalar.type === 'nothing' ? null : scalar.value
}
