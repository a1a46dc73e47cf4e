/** Finds programs that only some runs of the tests need, where a shell would find them. */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Where a program is: the path that the environment gives for it, else its place on the PATH; undefined if there is none. */
export function findProgram(name: string, env: NodeJS.ProcessEnv, variable: string): string | undefined {
  const given = env[variable]
  if (given) return isExecutable(given) ? given : undefined
  const file = process.platform === 'win32' ? `${name}.exe` : name
  return (env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, file))
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
