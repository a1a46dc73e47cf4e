/**
 * What a value can be. A kind reads a value, says what it wanted when it finds something else, and knows enough about
 * itself that the reference page is written from it.
 */
import type { Place, Scalar } from './place.ts'
import type { Section } from './section.ts'
import type { ScalarNode, YamlNode } from './yaml-tree.ts'

export interface Kind<T> {
  /** Completes "wanted …": `a whole number from 1 to 10000`. */
  readonly wanted: string
  /** What else a reader of the reference page should know. */
  readonly note?: string
  /** What the value consists of, for the reference page. */
  readonly parts?: KindParts
  read(node: YamlNode, place: Place): Outcome<T>
  /** A value in the file's notation. */
  show(value: T): string
}

export type KindParts =
  | { readonly form: 'section'; readonly section: Section }
  | { readonly form: 'list' | 'map'; readonly of: Kind<unknown> }
  | { readonly form: 'choices'; readonly lead: string; readonly choices: Readonly<Record<string, Section>> }

/** The value, or why there is none. */
export type Outcome<T> = T | Refused | Absent | UseDefault

/** The value is wrong, and a problem says so. */
export class Refused {
  readonly isRefused = true
}

/** The value says "none", as if the key were not there. */
export class Absent {
  readonly isAbsent = true
}

/** The value is one the peers replace by the default, with a warning. */
export class UseDefault {
  readonly reason: string

  constructor(reason: string) {
    this.reason = reason
  }
}

/** What a parser found instead of what it wanted; completes "found …". */
export class Unexpected {
  readonly found: string

  constructor(found: string) {
    this.found = found
  }
}

export const refused = new Refused()
export const absent = new Absent()

/** Whether reading gave a value. */
export function isValue<T>(outcome: Outcome<T>): outcome is T {
  return !(outcome instanceof Refused || outcome instanceof Absent || outcome instanceof UseDefault)
}

/** Reports that something else was wanted. */
export function refuse(node: YamlNode, place: Place, wanted: string, found: string): Refused {
  place.problem(node.span, `wanted ${wanted}, found ${found}`)
  return refused
}

export interface ScalarKindSpec<T> {
  readonly wanted: string
  readonly note?: string
  /** Reads a scalar that is not nothing. `warn` adds a warning at the value. */
  parse(scalar: Scalar, warn: (message: string) => void): Outcome<T> | Unexpected
  show?(value: T): string
}

/** A kind whose values are single scalars. */
export function scalarKind<T>(spec: ScalarKindSpec<T>): Kind<T> {
  return {
    wanted: spec.wanted,
    ...(spec.note === undefined ? {} : { note: spec.note }),
    read(node, place) {
      const scalar = place.scalar(node)
      if (scalar === undefined || scalar.type === 'nothing') return refuse(node, place, spec.wanted, foundNode(node))
      const outcome = spec.parse(scalar, (message) => place.warning(node.span, message))
      return outcome instanceof Unexpected ? refuse(node, place, spec.wanted, outcome.found) : outcome
    },
    show: (value) => spec.show?.(value) ?? String(value),
  }
}

/** A scalar in words that follow "found". */
export function foundScalar(scalar: Scalar): string {
  switch (scalar.type) {
    case 'nothing':
      return 'nothing'
    case 'flag':
    case 'integer':
    case 'number':
      return String(scalar.value)
    case 'text': {
      const shown = scalar.value.length > 60 ? `${scalar.value.slice(0, 60)}…` : scalar.value
      return JSON.stringify(shown) + (scalar.isSubstituted ? ' (from the environment)' : '')
    }
  }
}

/** A list, a section or a written scalar in words that follow "found". */
export function foundNode(node: YamlNode): string {
  if (node.form === 'list') return 'a list'
  if (node.form === 'section') return 'a section'
  return node.text === '' && node.isPlain ? 'nothing' : writtenText(node)
}

function writtenText(node: ScalarNode): string {
  return node.text.length > 60 ? `${node.text.slice(0, 60)}…` : node.text
}
