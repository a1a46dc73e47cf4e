/**
 * Where in the file a value is being read: its path for messages, and the one list all messages go to.
 */
import { type Environment, expandEnvironment } from './environment.ts'
import type { ProblemList } from './problem.ts'
import { type ScalarValue, scalarValue } from './scalar.ts'
import type { Span } from './source-text.ts'
import type { ScalarNode, YamlNode } from './yaml-tree.ts'

/** A scalar with its meaning. After environment substitution it is text, whatever it spells. */
export type Scalar = ScalarValue & { readonly isSubstituted: boolean }

/** Thrown when aliases make a small file mean an enormous one. */
export class TooManyValues extends Error {
  override readonly name = 'TooManyValues'
}

/** The most values one file may mean, aliases unfolded. */
export const mostValues = 50_000

/** The state of reading one file: what was found, and where each section that was read stands. */
export class Reading {
  readonly problems: ProblemList
  readonly environment: Environment
  readonly #located = new WeakMap<object, LocatedSection>()
  readonly #warnedUnset = new Set<ScalarNode>()
  #values = 0

  constructor(problems: ProblemList, environment: Environment) {
    this.problems = problems
    this.environment = environment
  }

  countValue(): void {
    if (++this.#values > mostValues) throw new TooManyValues()
  }

  remember(section: object, located: LocatedSection): void {
    this.#located.set(section, located)
  }

  located(section: object): LocatedSection | undefined {
    return this.#located.get(section)
  }

  isFirstLookAt(node: ScalarNode): boolean {
    const isFirst = !this.#warnedUnset.has(node)
    this.#warnedUnset.add(node)
    return isFirst
  }
}

/** Where a section and its keys' values stand. A key that was left out stands where its section does. */
export interface LocatedSection {
  readonly path: string
  readonly span: Span
  readonly keys: ReadonlyMap<string, LocatedValue>
}

export interface LocatedValue {
  readonly path: string
  readonly span: Span
  /** What was read; none when the key was left out. */
  readonly node?: YamlNode | undefined
}

/** Where a part of a value stands, by keys and positions; where the path leads nowhere, the last part that exists. */
export function locatePart(value: LocatedValue, parts: readonly (string | number)[]): LocatedValue {
  let { path, span, node } = value
  for (const part of parts) {
    path += typeof part === 'number' ? `[${part}]` : `.${part}`
    node = node?.form === 'list' ? node.items[Number(part)] : partOfSection(node, String(part))
    span = node?.span ?? span
  }
  return { path, span, node }
}

function partOfSection(node: YamlNode | undefined, key: string): YamlNode | undefined {
  return node?.form === 'section' ? node.entries.get(key)?.value : undefined
}

/** A path in the file and where that path is introduced: by its key, or by the item of a list. */
export class Place {
  readonly reading: Reading
  readonly path: string
  readonly span: Span
  /** What a problem with the value itself leads to, where it is only a warning. */
  readonly #consequence: string | undefined

  constructor(reading: Reading, path: string, span: Span, consequence?: string) {
    this.reading = reading
    this.path = path
    this.span = span
    this.#consequence = consequence
  }

  /** The same place, where a problem with the value itself is only a warning. Not so for what lies inside it. */
  tolerant(consequence: string): Place {
    return new Place(this.reading, this.path, this.span, consequence)
  }

  key(name: string, span: Span): Place {
    this.reading.countValue()
    return new Place(this.reading, this.path === '' ? name : `${this.path}.${name}`, span)
  }

  item(index: number, span: Span): Place {
    this.reading.countValue()
    return new Place(this.reading, `${this.path}[${index}]`, span)
  }

  problem(span: Span, message: string): void {
    const consequence = this.#consequence
    if (consequence === undefined) this.reading.problems.add('error', this.path, span, message)
    else this.warning(span, `${message}${consequence}`)
  }

  warning(span: Span, message: string): void {
    this.reading.problems.add('warning', this.path, span, message)
  }

  /** What a scalar means, environment substituted; undefined for a list or a section. */
  scalar(node: YamlNode): Scalar | undefined {
    if (node.form !== 'scalar') return undefined
    const value = scalarValue(node)
    if (value.type !== 'text') return { ...value, isSubstituted: false }
    const { text, isChanged, unset } = expandEnvironment(value.value, this.reading.environment)
    if (unset.length > 0 && this.reading.isFirstLookAt(node)) {
      const names = [...new Set(unset)].join(', ')
      this.warning(node.span, `not set in the environment, so it stands for nothing: ${names}`)
    }
    return { type: 'text', value: text, isSubstituted: isChanged }
  }
}
