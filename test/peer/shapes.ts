/** What a JSON value looks like, whatever stands in it: for comparing what two programs say of networks of their own. */

/** Paths to the kinds of value that were found there. */
export type Shape = Readonly<Record<string, string>>

/** Of several samples together. In names and keys, each of the given ids is the same. */
export function shapeOf(samples: readonly unknown[], ids: readonly string[] = []): Shape {
  const found = new Map<string, Set<string>>()
  for (const sample of samples) walk(sample, '', found, new Set(ids))
  const entries = [...found].map(([path, kinds]) => [path, named(kinds)] as const)
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function walk(value: unknown, path: string, found: Map<string, Set<string>>, ids: ReadonlySet<string>): void {
  const kinds = found.get(path) ?? new Set()
  found.set(path, kinds.add(kindOf(value)))
  if (Array.isArray(value)) for (const each of value) walk(each, `${path}[]`, found, ids)
  else if (typeof value === 'object' && value !== null) {
    for (const [key, each] of Object.entries(value)) walk(each, `${path}.${ids.has(key) ? 'ID' : key}`, found, ids)
  }
}

/** What may be absent is sometimes null; which it was in these samples is chance. */
function named(kinds: ReadonlySet<string>): string {
  const present = [...kinds].filter((kind) => kind !== 'null').sort()
  return present.length === 0 ? 'null' : present.join(' or ')
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'list'
  return value === null ? 'null' : typeof value
}
