/** `npm run lint`: formatting and lint rules, types, lock files, licences. Prints only what is wrong. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { findLicenceProblems } from './licences.ts'
import { findLockProblems, type LockFile } from './lock-file.ts'

const root = join(import.meta.dirname, '..')
const lockFolders = [root, join(root, 'setup', 'runtime')]

/** A check answers with what is wrong, or with nothing. */
const checks: Record<string, () => Promise<string> | string> = {
  biome: () => runTool('biome', 'check', '--error-on-warnings', '.'),
  tsc: () => runTool('tsc', '--noEmit', '-p', '.'),
  'lock files': () =>
    lockFolders.flatMap((folder) => findLockProblems(readLock(folder), readInstallScripts(folder))).join('\n'),
  licences: () => lockFolders.flatMap((folder) => findLicenceProblems(folder, readLock(folder))).join('\n'),
}

const results = await Promise.all(
  Object.entries(checks).map(async ([name, check]) => {
    const started = performance.now()
    const problems = await check()
    return { name, problems, seconds: (performance.now() - started) / 1_000 }
  }),
)

for (const { name, problems, seconds } of results) {
  console.log(`lint: ${name} ${problems === '' ? 'ok' : 'failed'} (${seconds.toFixed(1)} s)`)
  if (problems !== '') console.log(problems)
}
if (results.some(({ problems }) => problems !== '')) process.exitCode = 1

async function runTool(...args: string[]): Promise<string> {
  const command = [join(root, 'setup', 'run.cjs'), '--exec', ...args]
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] })
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return status === 0 ? '' : `${stdout}${stderr}`.trim() || `${args[0]} ended with status ${status}`
}

function readLock(folder: string): LockFile {
  return JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'))
}

function readInstallScripts(folder: string): string[] {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).weft?.installScripts ?? []
}
