/**
 * A section of a configuration file, declared: its keys with their kinds, defaults and meaning, and what must hold
 * between them. Reading, messages and the reference page all come from the declaration.
 */

import type { HostPort } from './address.ts'
import {
  absent,
  foundNode,
  isValue,
  type Kind,
  type KindParts,
  type Outcome,
  Refused,
  refuse,
  UseDefault,
} from './kind.ts'
import { type LocatedValue, locatePart, type Place } from './place.ts'
import { scalarValue } from './scalar.ts'
import { didYouMean } from './scalar-kinds.ts'
import type { Span } from './source-text.ts'
import type { SectionNode, YamlNode } from './yaml-tree.ts'

/** One key of a section. */
export interface Key<T> {
  readonly kind: Kind<unknown>
  /** What it is for: one or two sentences for the reference page. */
  readonly meaning: string
  readonly presence: 'required' | 'optional' | 'default' | 'empty section'
  readonly default?: T
  /** The key as written in the file, where it is not the property's name. */
  readonly name?: string
  /** A value that is wrong is warned about and passed over, because the peers start with it. */
  readonly ifWrong?: 'warn'
  /** Only for the type. */
  readonly value?: T
}

interface KeyOptions {
  readonly name?: string
  /** What is wrong inside a section that was read is refused all the same. */
  readonly ifWrong?: 'warn'
}

/** A key that must be there. */
export function required<T>(kind: Kind<T>, meaning: string, options: KeyOptions = {}): Key<T> {
  return { kind: kind as Kind<unknown>, meaning, presence: 'required', ...options }
}

/** A key that may be left out. */
export function optional<T>(kind: Kind<T>, meaning: string, options: KeyOptions = {}): Key<T | undefined> {
  return { kind: kind as Kind<unknown>, meaning, presence: 'optional', ...options }
}

/** A key with a default. */
export function withDefault<T>(kind: Kind<T>, value: T, meaning: string, options: KeyOptions = {}): Key<T> {
  return { kind: kind as Kind<unknown>, meaning, presence: 'default', default: value, ...options }
}

/** A section that, left out, is as if it were there and empty. */
export function subsection<T>(kind: Kind<T>, meaning: string, options: KeyOptions = {}): Key<T> {
  return { kind: kind as Kind<unknown>, meaning, presence: 'empty section', ...options }
}

export type Keys = Readonly<Record<string, Key<unknown>>>
/** What reading a section with these keys gives. */
export type ValueOf<K extends Keys> = { readonly [P in keyof K]: K[P] extends Key<infer T> ? T : never }

/** A value as checks see it: what was refused is missing. */
export type Draft<T> = T extends HostPort
  ? T
  : T extends readonly (infer I)[]
    ? readonly Draft<I>[]
    : T extends object
      ? { readonly [P in keyof T]?: Draft<T[P]> }
      : T

/** What a finding is about: a key of a section that was read, a part of its value, or the section itself. */
type About<O> = (keyof O & string) | readonly [keyof O & string, ...(string | number)[]] | 'itself'

/** Tells what checks found, at its place. */
export interface Findings {
  problem<O extends object>(section: O, about: About<O>, message: string): void
  warning<O extends object>(section: O, about: About<O>, message: string): void
}

export interface SectionSpec<K extends Keys> {
  readonly keys: K
  /** Keys of the peers' files that mean nothing here, each with the reason. They are warned about, not refused. */
  readonly ignored?: Readonly<Record<string, string>>
  /** What must hold between keys. Runs even when some were refused, so that all problems are told at once. */
  check?(draft: Draft<ValueOf<K>>, findings: Findings): void
}

/** The untyped side of a section, for the reference page. */
export interface Section {
  readonly keys: Keys
  readonly ignored: Readonly<Record<string, string>>
}

const wanted = 'a section of `key: value` lines'

/** A declared section; also a kind, so that it can be a key's value or a list's item. */
export class SectionKind<K extends Keys> implements Kind<ValueOf<K>>, Section {
  readonly wanted = wanted
  readonly keys: K
  readonly ignored: Readonly<Record<string, string>>
  readonly parts: KindParts
  readonly #check: SectionSpec<K>['check']

  constructor(spec: SectionSpec<K>) {
    this.keys = spec.keys
    this.ignored = spec.ignored ?? {}
    this.#check = spec.check
    this.parts = { form: 'section', section: this }
  }

  read(node: YamlNode, place: Place): Outcome<ValueOf<K>> {
    const section = asSection(node)
    if (section === undefined) return refuse(node, place, wanted, foundNode(node))
    return this.readSection(section, place, [])
  }

  /** Reads a section in which further keys, understood by the caller, may stand. */
  readSection(node: SectionNode, place: Place, alsoKnown: readonly string[]): ValueOf<K> {
    const known = new Set(alsoKnown)
    const value: Record<string, unknown> = {}
    const keys = new Map<string, LocatedValue>()
    for (const [property, key] of Object.entries(this.keys)) {
      const name = key.name ?? property
      known.add(name)
      const entry = node.entries.get(name)
      const keyPlace = place.key(name, entry?.keySpan ?? place.span)
      value[property] = entry === undefined ? readMissing(key, keyPlace) : readPresent(key, keyPlace, entry.value)
      keys.set(property, { path: keyPlace.path, span: entry?.value.span ?? place.span, node: entry?.value })
    }
    this.#warnOfOthers(node, place, known)
    place.reading.remember(value, { path: place.path, span: place.span, keys })
    this.#check?.(value as Draft<ValueOf<K>>, findingsAbout(place))
    return value as ValueOf<K>
  }

  show(): string {
    return '{}'
  }

  #warnOfOthers(node: SectionNode, place: Place, known: ReadonlySet<string>): void {
    for (const [name, { keySpan }] of node.entries) {
      if (known.has(name)) continue
      const reason = Object.hasOwn(this.ignored, name) ? this.ignored[name] : undefined
      const message =
        reason === undefined ? `unknown key, ignored${didYouMean(name, known)}` : `has no effect: ${reason}`
      place.key(name.length > 60 ? `${name.slice(0, 60)}…` : name, keySpan).warning(keySpan, message)
    }
  }
}

/** Declares a section. */
export function section<K extends Keys>(spec: SectionSpec<K>): SectionKind<K> {
  return new SectionKind(spec)
}

/** Where findings made after reading go: to the places that were remembered while reading. */
export function findingsAbout(place: Place): Findings {
  const { reading } = place
  const add = (severity: 'error' | 'warning') => (section: object, about: About<object>, message: string) => {
    const located = reading.located(section)
    const [key, ...parts] = typeof about === 'string' ? [about] : about
    const value = located?.keys.get(key)
    const at = value === undefined ? (located ?? place) : locatePart(value, parts)
    reading.problems.add(severity, at.path, at.span, message)
  }
  return { problem: add('error'), warning: add('warning') }
}

function readMissing(key: Key<unknown>, place: Place): unknown {
  if (key.presence === 'required') place.problem(place.span, 'is required, and missing')
  if (key.presence !== 'empty section') return key.default
  const outcome = key.kind.read(emptySection(place.span), place)
  return isValue(outcome) ? outcome : undefined
}

function readPresent(key: Key<unknown>, place: Place, node: YamlNode): unknown {
  if (isNothing(node) && key.presence !== 'required') {
    // A section or a list without lines is what remains when all its lines are commented out. A word left out is not.
    if (key.kind.parts === undefined) place.warning(node.span, `has no value${defaultUsed(key)}`)
    return readMissing(key, place)
  }
  const isTolerated = key.ifWrong === 'warn'
  const outcome = key.kind.read(node, isTolerated ? place.tolerant(defaultUsed(key) || '; it is passed over') : place)
  if (outcome instanceof Refused && isTolerated) return readMissing(key, place)
  if (outcome === absent) {
    if (key.presence === 'required') place.problem(node.span, 'is required, and empty')
    return key.default
  }
  if (outcome instanceof UseDefault) {
    place.warning(node.span, `${outcome.reason}${defaultUsed(key)}`)
    return key.default
  }
  return isValue(outcome) ? outcome : undefined
}

function defaultUsed(key: Key<unknown>): string {
  return key.presence === 'default' ? `, so the default ${key.kind.show(key.default)} is used` : ''
}

function asSection(node: YamlNode): SectionNode | undefined {
  if (node.form === 'section') return node
  return isNothing(node) ? emptySection(node.span) : undefined
}

function emptySection(span: Span): SectionNode {
  return { form: 'section', span, entries: new Map() }
}

function isNothing(node: YamlNode): boolean {
  return node.form === 'scalar' && scalarValue(node).type === 'nothing'
}
