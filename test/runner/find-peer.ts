/** Finds the stock peer that tests may run against: what ZITI_BIN names, else `ziti` on the PATH. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of the peer's program, or undefined if there is none. */
export function findPeer(env: NodeJS.ProcessEnv): string | undefined {
  if (env.ZITI_BIN) return isExecutable(env.ZITI_BIN) ? env.ZITI_BIN : undefined
  const name = process.platform === 'win32' ? 'ziti.exe' : 'ziti'
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
