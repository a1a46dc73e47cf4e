/**
 * One web server, many bindings: the first binding whose root holds the path takes the request, in the order of the
 * configuration; what none of them claims goes to the default binding.
 */
import type { RequestHandler } from './request-handler.ts'

/** An API as a web server serves it. */
export interface Binding {
  /** The name it has in the configuration, such as `edge-client`. */
  readonly name: string
  /** The path it serves, with everything below it. */
  readonly root: string
  /** Further paths it serves, each only exactly. */
  readonly alsoServes?: readonly string[]
  /** Takes what no binding claims. At most one binding of a server may say so; else the last one is the default. */
  readonly isDefault?: boolean
  /** The path under which its own routes know the one that was asked for. */
  readonly rewrite?: (path: string) => string
  readonly handle: RequestHandler
}

/** Builds the handler of a web server. Throws when two bindings claim to be the default. */
export function createDemux(bindings: readonly Binding[]): RequestHandler {
  const defaults = bindings.filter(({ isDefault }) => isDefault)
  if (defaults.length > 1) {
    throw new Error(`only one API can be the default, but ${defaults.map(({ name }) => name).join(' and ')} are`)
  }
  const fallback = defaults[0] ?? bindings.at(-1)
  const mounts = bindings.map((binding) => ({ binding, below: `${binding.root}/`, exact: new Set(binding.alsoServes) }))

  return (request, response, target) => {
    const { path, search } = target
    let taker = fallback
    for (const { binding, below, exact } of mounts) {
      if (path.startsWith(below) || path === binding.root || exact.has(path)) {
        taker = binding
        break
      }
    }
    if (taker === undefined) {
      response.writeHead(404, ['content-length', '0'])
      response.end()
      return
    }
    const rewritten = taker.rewrite?.(path) ?? path
    taker.handle(request, response, rewritten === path ? target : { path: rewritten, search })
  }
}
