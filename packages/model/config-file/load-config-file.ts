/**
 * The whole way of a configuration file: bytes, YAML, schema, cross checks, and then either a frozen value with warnings
 * or one error that shows everything that is wrong.
 */
import { ConfigError } from './config-error.ts'
import type { Environment } from './environment.ts'
import { foundNode, isValue } from './kind.ts'
import { mostValues, Place, Reading, TooManyValues } from './place.ts'
import { type Problem, ProblemList } from './problem.ts'
import { type ConfigSource, readSource } from './read-source.ts'
import { type Findings, findingsAbout, type Keys, type SectionKind, type ValueOf } from './section.ts'
import type { Span } from './source-text.ts'
import { parseYamlTree, type SectionNode } from './yaml-tree.ts'

export interface ConfigFileSpec<K extends Keys, C> {
  readonly schema: SectionKind<K>
  /** The key that says which generation of the format a file is, and the only one understood; some have none. */
  readonly version?: { readonly key: string; readonly value: number }
  /** Makes what the program uses from what was read. It runs when there is no problem, and may still find some. */
  assemble(value: ValueOf<K>, findings: Findings): C
}

export interface LoadedConfig<C> {
  readonly config: C
  readonly warnings: readonly Problem[]
}

/** Loads a configuration file, or throws a ConfigError with every problem in it. */
export function loadConfigFile<K extends Keys, C>(
  spec: ConfigFileSpec<K, C>,
  source: ConfigSource,
  environment: Environment,
): LoadedConfig<C> {
  const text = readSource(source)
  const problems = new ProblemList(text)
  const root = parseYamlTree(text, problems)
  const place = new Place(new Reading(problems, environment), '', { start: 0, end: 1 })
  const stopIfWrong = () => {
    if (problems.hasErrors) throw ConfigError.badFile(text.fileName, problems.inOrder(), problems.leftOut)
  }

  // A file of another generation would drown in problems that are none.
  if (spec.version !== undefined) checkVersion(spec.version, root, place)
  stopIfWrong()
  const value = readRoot(spec.schema, root, place)
  stopIfWrong()
  const config = spec.assemble(value!, findingsAbout(place))
  stopIfWrong()
  return { config: deepFreeze(config), warnings: problems.inOrder('warning') }
}

function readRoot<K extends Keys>(schema: SectionKind<K>, root: SectionNode, place: Place): ValueOf<K> | undefined {
  try {
    const outcome = schema.read(root, place)
    return isValue(outcome) ? outcome : undefined
  } catch (error) {
    if (!(error instanceof TooManyValues)) throw error
    place.problem(place.span, `aliases make more than ${mostValues} values of the file`)
    return undefined
  }
}

function checkVersion({ key, value }: { key: string; value: number }, root: SectionNode, place: Place): void {
  const entry = root.entries.get(key)
  const at = (span: Span) => place.key(key, span)
  if (entry === undefined) {
    at(place.span).problem(place.span, `is required, and missing; wanted ${key}: ${value}`)
    return
  }
  const { value: node } = entry
  const scalar = node.form === 'scalar' ? place.scalar(node) : undefined
  if (scalar?.type === 'integer' && scalar.value === value) return
  at(entry.keySpan).problem(node.span, `wanted ${value}, the only version understood, found ${foundNode(node)}`)
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const child of Object.values(value)) deepFreeze(child)
  return value
}
