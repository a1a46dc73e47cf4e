/**
 * Which operation a method and a path mean: a trie by path segments.
 *
 * Paths are cleaned as the peers clean them: empty and `.` segments vanish, `..` removes the segment before it, a literal
 * segment beats a parameter. Segments are compared as sent; only parameters are percent-decoded, so an encoded slash
 * stays inside its parameter. On the path of every request: no regular expression, no split (bench/http.ts).
 */
import { fieldError } from '../../operation/api-error.ts'

/** What a route needs to be found; whatever else the caller keeps on it comes back with the match. */
export interface RouteEntry {
  readonly method: string
  /** Below the base, with `{name}` for parameters. */
  readonly path: string
}

/** A route with its parameters, or else the methods that the path does have: none means that nothing is there. */
export interface RouteMatch<Route> {
  readonly route: Route | undefined
  readonly params: Readonly<Record<string, string>>
  readonly allowed: readonly string[]
}

interface Leaf<Route> {
  readonly route: Route
  readonly names: readonly string[]
}

interface Node<Route> {
  readonly literals: Map<string, Node<Route>>
  parameter: Node<Route> | undefined
  readonly leaves: Map<string, Leaf<Route>>
  allowed: readonly string[]
}

/** The order in which a 405 names the methods of a path. */
const METHOD_ORDER = ['GET', 'POST', 'DELETE', 'PUT', 'PATCH']

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({})

export class RouteTable<Route extends RouteEntry> {
  readonly #base: string
  readonly #root: Node<Route> = emptyNode()
  readonly #unknown: RouteMatch<Route> = { route: undefined, params: NO_PARAMS, allowed: [] }

  /** `base` is the path below which all routes lie, without a slash at its end. Two routes of one shape are refused. */
  constructor(base: string, routes: Iterable<Route>) {
    this.#base = base
    for (const route of routes) this.#add(route)
  }

  /** Finds the route for a path as sent; throws an `ApiError` when a parameter is not valid percent-encoding. */
  match(method: string, path: string): RouteMatch<Route> {
    const below = this.below(path)
    if (below === undefined) return this.#unknown
    const values: string[] = []
    const node = find(this.#root, below, 0, values)
    if (node === undefined) return this.#unknown
    const leaf = node.leaves.get(method)
    if (leaf === undefined) return { route: undefined, params: NO_PARAMS, allowed: node.allowed }
    return { route: leaf.route, params: named(leaf.names, values), allowed: node.allowed }
  }

  /** The part of a path below the base, free of dot segments; undefined when the path is not below it. */
  below(path: string): string | undefined {
    const base = this.#base
    let clean = path.includes('/.') ? cleanPath(path) : path
    if (!clean.startsWith(base)) {
      clean = cleanPath(clean)
      if (!clean.startsWith(base)) return undefined
    }
    if (clean.length === base.length) return '/'
    return clean.charCodeAt(base.length) === SLASH ? clean.slice(base.length) : undefined
  }

  #add(route: Route): void {
    const names: string[] = []
    let node = this.#root
    for (const segment of route.path.split('/')) {
      if (segment === '') continue
      if (segment.startsWith('{') && segment.endsWith('}')) {
        names.push(segment.slice(1, -1))
        node.parameter ??= emptyNode()
        node = node.parameter
      } else {
        const next: Node<Route> = node.literals.get(segment) ?? emptyNode()
        node.literals.set(segment, next)
        node = next
      }
    }
    if (node.leaves.has(route.method)) throw new Error(`two operations answer ${route.method} ${route.path}`)
    node.leaves.set(route.method, { route, names })
    node.allowed = [...node.leaves.keys()].sort((a, b) => METHOD_ORDER.indexOf(a) - METHOD_ORDER.indexOf(b))
  }
}

/** A path without empty, `.` and `..` segments and without a slash at its end. */
export function cleanPath(path: string): string {
  const kept: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  return `/${kept.join('/')}`
}

const SLASH = 0x2f

function emptyNode<Route>(): Node<Route> {
  return { literals: new Map(), parameter: undefined, leaves: new Map(), allowed: [] }
}

/** Depth first, literal before parameter; `values` holds the raw parameters of the branch that was found. */
function find<Route>(start: Node<Route>, path: string, from: number, values: string[]): Node<Route> | undefined {
  let node = start
  let at = from
  for (;;) {
    while (path.charCodeAt(at) === SLASH) at++
    if (at >= path.length) return node.leaves.size > 0 ? node : undefined
    let end = path.indexOf('/', at)
    if (end < 0) end = path.length
    const segment = path.slice(at, end)
    const literal = node.literals.get(segment)
    const parameter = node.parameter
    if (literal !== undefined) {
      if (parameter === undefined) {
        node = literal
        at = end
        continue
      }
      const known = values.length
      const found = find(literal, path, end, values)
      if (found !== undefined) return found
      values.length = known
    }
    if (parameter === undefined) return undefined
    values.push(segment)
    node = parameter
    at = end
  }
}

function named(names: readonly string[], values: readonly string[]): Readonly<Record<string, string>> {
  if (names.length === 0) return NO_PARAMS
  const params: Record<string, string> = {}
  for (let i = 0; i < names.length; i++) {
    const raw = values[i] as string
    params[names[i] as string] = raw.includes('%') ? decoded(raw) : raw
  }
  return params
}

function decoded(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    throw fieldError('path', 'path holds a percent-encoding that is not valid UTF-8', raw)
  }
}
