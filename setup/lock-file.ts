/**
 * Checks a package-lock.json: what it fetches is proven by a hash, comes from whatever registry the user has chosen,
 * is complete for every platform (npm ci refuses a lock file that is not), and runs no install script unnamed.
 */

export type LockEntry = {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  license?: string
  optional?: boolean
  devOptional?: boolean
  hasInstallScript?: boolean
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
}

export type LockFile = { packages: Record<string, LockEntry> }

/** What is wrong with a lock file, one line each; `installScripts` are the packages whose install scripts may run. */
export function findLockProblems({ packages }: LockFile, installScripts: readonly string[]): string[] {
  const problems: string[] = []
  for (const [path, entry] of Object.entries(packages)) {
    for (const name of dependenciesOf(entry)) {
      if (!isLocked(packages, path, name)) problems.push(`${path || 'the root'} needs ${name}, which is not locked`)
    }
    if (!path.includes('node_modules/') || entry.link) continue
    if (!entry.integrity?.startsWith('sha512-')) problems.push(`${path} has no sha512 integrity hash`)
    if (entry.resolved !== undefined) problems.push(`${path} names a download host: ${entry.resolved}`)
    if (entry.hasInstallScript && !installScripts.includes(nameOf(path))) {
      problems.push(`${path} has an install script that package.json does not allow (weft.installScripts)`)
    }
  }
  for (const name of installScripts) {
    const isNeeded = Object.entries(packages).some(([path, entry]) => nameOf(path) === name && entry.hasInstallScript)
    if (!isNeeded) problems.push(`package.json allows an install script of ${name}, which has none`)
  }
  return problems
}

function dependenciesOf(entry: LockEntry): string[] {
  return Object.keys({ ...entry.dependencies, ...entry.devDependencies, ...entry.optionalDependencies })
}

/** Looks where Node would: beside the package, then in each folder above it. */
function isLocked(packages: LockFile['packages'], from: string, name: string): boolean {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    if (packages[`${folder === '' ? '' : `${folder}/`}node_modules/${name}`] !== undefined) return true
    if (folder === '') return false
  }
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)
}
