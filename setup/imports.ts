/**
 * Reads which file imports which, from the sources as text: imports stand at the start of a line, so a pattern finds
 * what a parser would.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

export type Import = {
  /** The importing file, as a path from the root with forward slashes. */
  readonly from: string
  readonly specifier: string
  /** The imported file, likewise; undefined if it is not one of ours. */
  readonly to: string | undefined
  /** Whether it is gone at run time. */
  readonly isTypeOnly: boolean
}

const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[\w$*{][\w\s$,*{}]*?\sfrom\s+)?'([^']+)'/gm
const EXPRESSION = /\bimport\(\s*'([^']+)'|\bnew URL\(\s*'(\.[^']+\.ts)',\s*import\.meta\.url/g

/** All TypeScript files under these folders, as paths from the root with forward slashes. */
export function findSources(root: string, folders: readonly string[]): string[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root, exclude: ['**/node_modules/**'] }))
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
}

/** The imports of one file. `resolve` turns the name of a package into the URL of its file. */
export function readImports(root: string, from: string, resolve: (specifier: string) => string): Import[] {
  return parseImports(readFileSync(join(root, from), 'utf8')).map(({ specifier, isTypeOnly }) => {
    const base = pathToFileURL(join(root, from))
    const isRelative = specifier.startsWith('.')
    const isOurs = isRelative || specifier.startsWith('@weft/')
    const url = isRelative ? new URL(specifier, base).href : isOurs ? resolve(specifier) : undefined
    const to =
      url &&
      fileURLToPath(url)
        .slice(root.length + 1)
        .replaceAll('\\', '/')
    return { from, specifier, to, isTypeOnly }
  })
}

/** The imports that a source text states. */
export function parseImports(source: string): { specifier: string; isTypeOnly: boolean }[] {
  return [
    ...source
      .matchAll(STATEMENT)
      .map(([, type, specifier]) => ({ specifier: specifier!, isTypeOnly: type !== undefined })),
    ...source.matchAll(EXPRESSION).map(([, module, file]) => ({ specifier: (module ?? file)!, isTypeOnly: false })),
  ]
}

/** The groups of files that import each other in a circle, each sorted by name. */
export function findCycles(imports: readonly Import[]): string[][] {
  const targets = Map.groupBy(imports, ({ from }) => from)
  const reachable = new Map<string, Set<string>>()
  const reach = (start: string): Set<string> => {
    const seen = new Set<string>()
    const waiting = [start]
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      for (const { to } of targets.get(file) ?? []) {
        if (to === undefined || seen.has(to)) continue
        seen.add(to)
        waiting.push(to)
      }
    }
    return seen
  }
  for (const file of targets.keys()) reachable.set(file, reach(file))
  const circles = new Map<string, string[]>()
  for (const [file, seen] of reachable) {
    if (!seen.has(file)) continue
    const circle = [...seen].filter((other) => reachable.get(other)?.has(file)).sort()
    circles.set(circle.join(), circle)
  }
  return [...circles.values()]
}
