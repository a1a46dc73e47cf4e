/**
 * Runs one of the project's programs with a current Node and all dependencies present, whatever the machine had before:
 *
 *   node setup/run.cjs FILE.ts [ARGUMENT …]
 *   node setup/run.cjs --exec TOOL [ARGUMENT …]      a tool that a dependency brings, by its name in node_modules/.bin
 */
'use strict'

const { spawn } = require('node:child_process')
const { readFileSync } = require('node:fs')
const { dirname, join, resolve } = require('node:path')
const { SetupError, ensureInstalled } = require('./install.cjs')
const { ensureRuntime } = require('./choose-runtime.cjs')

const root = dirname(__dirname)
const locks = join(root, '.cache')

/** Sets up what is missing, then becomes the program. */
async function run(args) {
  try {
    const runtime = await ensureRuntime(__dirname, { lock: join(locks, 'install-runtime.lock') })
    await ensureInstalled(root, {
      lock: join(locks, 'install.lock'),
      what: 'dependencies',
      otherwise:
        'Check the network, or which registry npm uses (npm config get registry), and run the same command again.\n' +
        'Without a network, copy node_modules from a checkout of the same version on the same platform.',
    })
    const program = args[0] === '--exec' ? [findTool(args[1]), ...args.slice(2)] : [resolve(args[0]), ...args.slice(1)]
    become(runtime, ['--disable-warning=ExperimentalWarning', ...program])
  } catch (error) {
    if (!(error instanceof SetupError)) throw error
    process.stderr.write(`weft: ${error.message}\n`)
    process.exitCode = 1
  }
}

/** The script behind a name in node_modules/.bin, where Windows keeps batch files instead. */
function findTool(name) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  for (const [folder, entry] of Object.entries(packages)) {
    if (folder !== '' && entry.bin?.[name]) return join(root, folder, entry.bin[name])
  }
  throw new SetupError(`no dependency brings a tool named ${name}`)
}

/** Replaces this process where Node can do that, so that signals and the exit status need no one in between. */
function become(runtime, args) {
  if (process.execve && process.platform !== 'win32') process.execve(runtime, [runtime, ...args], process.env)
  return runChild(runtime, args)
}

/** Runs a program as a child that hears our signals, and ends as it ends. */
function runChild(runtime, args) {
  const child = spawn(runtime, args, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C to the child as well; twice would mean "at once" to it.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal)
    })
  }
  child.once('error', (error) => {
    process.stderr.write(`weft: ${runtime} could not be started: ${error.message}\n`)
    process.exit(1)
  })
  child.once('exit', (code, signal) => {
    if (signal === null) process.exit(code)
    process.removeAllListeners(signal)
    process.kill(process.pid, signal)
  })
}

module.exports = { findTool, run, runChild }

if (require.main === module) {
  if (process.argv.length > 2) run(process.argv.slice(2))
  else {
    process.stderr.write('usage: node setup/run.cjs FILE.ts [ARGUMENT …] | --exec TOOL [ARGUMENT …]\n')
    process.exitCode = 2
  }
}
