/** Finds the stock peer that tests may run against: what ZITI_BIN names, else `ziti` on the PATH. */
import { findProgram } from './find-program.ts'

/** The path of the peer's program, or undefined if there is none. */
export function findPeer(env: NodeJS.ProcessEnv): string | undefined {
  return findProgram('ziti', env, 'ZITI_BIN')
}
