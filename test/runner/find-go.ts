/** Finds the Go that builds programs on the public SDK: what GO_BIN names, else `go` on the PATH. */
import { findProgram } from './find-program.ts'

/** The path of the `go` command, or undefined if there is none. */
export function findGo(env: NodeJS.ProcessEnv): string | undefined {
  return findProgram('go', env, 'GO_BIN')
}
