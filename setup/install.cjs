/**
 * Brings node_modules in line with package-lock.json, by `npm ci`, only when it is not. Plain CommonJS without
 * dependencies: it runs before anything is installed, on any Node from 18 on.
 *
 * Install scripts stay off; those a dependency cannot do without are allowed by name, as `weft.installScripts` in
 * package.json.
 */
'use strict'

const { spawn } = require('node:child_process')
const { existsSync, readFileSync, rmSync } = require('node:fs')
const { basename, join } = require('node:path')
const { holdingLock } = require('./install-lock.cjs')

/** What went wrong and what the user can do about it; printed without a stack. */
class SetupError extends Error {}

/** npm ran and did not succeed, most often for want of a network. */
class InstallError extends SetupError {}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const GRACE = 3_000

/**
 * Whether `folder/node_modules` holds what the lock file names: npm writes its own record there as the last step of
 * an install, so an interrupted one counts as missing. Optional packages count only if `needsOptional` says so.
 */
function isInstalled(folder, needsOptional = () => false) {
  const wanted = readPackages(join(folder, 'package-lock.json'))
  const present = readPackages(join(folder, 'node_modules', '.package-lock.json'))
  if (wanted === undefined) throw new SetupError(`${join(folder, 'package-lock.json')} is missing or damaged`)
  if (present === undefined) return false
  for (const [path, entry] of Object.entries(wanted)) {
    if (!path.includes('node_modules/')) continue
    if ((entry.optional || entry.devOptional) && !needsOptional(entry)) continue
    const found = present[path]
    if (found === undefined || found.integrity !== entry.integrity) return false
    if (entry.link && found.resolved !== entry.resolved) return false
  }
  return true
}

/** Installs into `folder` unless that is done. Of several processes that start at once, one installs, the others wait. */
async function ensureInstalled(folder, { lock, what, otherwise, needsOptional }) {
  if (isInstalled(folder, needsOptional) && !existsSync(lock)) return
  await holdingLock(lock, say, async (wasAbandoned) => {
    if (isInstalled(folder, needsOptional) && !wasAbandoned) return
    say(`installing ${what} (npm ci)`)
    try {
      await npm(folder, ['ci', '--ignore-scripts', '--include=dev', '--include=optional'])
      const allowed = allowedInstallScripts(folder)
      if (allowed.length > 0) await npm(folder, ['rebuild', '--ignore-scripts=false', ...allowed])
      // npm passes over an optional package that it could not fetch.
      if (!isInstalled(folder, needsOptional)) throw new InstallError('npm ci ended without installing everything')
    } catch (error) {
      rmSync(join(folder, 'node_modules', '.package-lock.json'), { force: true })
      throw error instanceof InstallError ? new SetupError(`${error.message}\n${otherwise}`, { cause: error }) : error
    }
  })
}

function readPackages(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages
  } catch (error) {
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined
    throw error
  }
}

function allowedInstallScripts(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return manifest.weft?.installScripts ?? []
}

/**
 * Runs npm; what it prints goes to stderr, because stdout belongs to the command that the user asked for. A signal is
 * npm's to obey first: the lock must not be given back while it still writes.
 */
function npm(folder, args) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error']
  const [command, first, options] = npmCommand()
  const all = [...first, ...args, ...quiet, '--prefix', options.shell ? `"${folder}"` : folder]
  return new Promise((resolve, reject) => {
    const child = spawn(command, all, { cwd: folder, stdio: ['ignore', 2, 2], ...options })
    let stoppedBy
    const stop = (signal) => {
      stoppedBy = signal
      child.kill(signal)
      setTimeout(() => child.kill('SIGKILL'), GRACE).unref()
    }
    for (const signal of SIGNALS) process.on(signal, stop)
    child.once('error', (error) => {
      reject(
        new SetupError(`npm could not be started: ${error.message}\nIt comes with Node; put it on the PATH.`, {
          cause: error,
        }),
      )
    })
    child.once('close', (code, signal) => {
      for (const name of SIGNALS) process.off(name, stop)
      if (stoppedBy !== undefined) reject(new SetupError(`stopped by ${stoppedBy} while installing`))
      else if (code === 0) resolve()
      else reject(new InstallError(`npm ${args[0]} failed (${signal ?? `exit status ${code}`})`))
    })
  })
}

/** The npm that started us if one did, else the one on the PATH, which on Windows is a batch file. */
function npmCommand() {
  const started = process.env.npm_execpath
  if (started && basename(started) === 'npm-cli.js' && existsSync(started)) return [process.execPath, [started], {}]
  if (process.platform === 'win32') return ['npm.cmd', [], { shell: true }]
  return ['npm', [], {}]
}

function say(text) {
  process.stderr.write(`weft: ${text}\n`)
}

module.exports = { SetupError, ensureInstalled, isInstalled }
