/**
 * Chooses the Node that runs Weft: the machine's own if it is current, else one from the npm registry, fetched into
 * setup/runtime/node_modules. The binaries are ordinary packages, one per platform, so their lock file proves what
 * arrives and no install script has to run.
 */
'use strict'

const { spawnSync } = require('node:child_process')
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { SetupError, ensureInstalled } = require('./install.cjs')

/** argon2 is part of node:crypto from here on. */
const MINIMUM_NODE = { major: 24, minor: 7 }
const ADVICE = `Put Node ${MINIMUM_NODE.major}.${MINIMUM_NODE.minor} or newer first on the PATH, and run the same command again.`

/** Whether this version of Node, written as in process.versions, runs Weft. */
function isCurrent(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > MINIMUM_NODE.major || (major === MINIMUM_NODE.major && minor >= MINIMUM_NODE.minor)
}

/** The lock file's package for a platform, as the path of its folder and of the program in it. */
function findBinary(lockFile, { platform, arch }) {
  const [folder, entry] = Object.entries(lockFile.packages).find(([, entry]) => isFor(entry, { platform, arch })) ?? []
  return entry && { folder, program: join(folder, entry.bin.node) }
}

function isFor(entry, { platform, arch }) {
  return [entry.os].flat().includes(platform) && [entry.cpu].flat().includes(arch)
}

/** The path of a current Node; fetches one if the running one is too old. */
async function ensureRuntime(setup, { lock }) {
  if (isCurrent(process.versions.node)) return process.execPath
  const folder = join(setup, 'runtime')
  const binary = findBinary(JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')), process)
  const tooOld = `Node ${process.versions.node} is too old to run Weft`
  if (binary === undefined) {
    throw new SetupError(`${tooOld}, and there is none to fetch for ${process.platform}-${process.arch}.\n${ADVICE}`)
  }
  await ensureInstalled(folder, {
    lock,
    what: `a current Node, because ${tooOld}`,
    otherwise: `Check the network, or which registry npm uses (npm config get registry). Or:\n${ADVICE}`,
    needsOptional: (entry) => isFor(entry, process),
  })
  const program = join(folder, binary.program)
  const { status, stderr, error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
  if (status === 0) return program
  throw new SetupError(
    `${tooOld}, and the fetched ${program} does not run: ${error?.message ?? stderr.trim()}\n${ADVICE}`,
  )
}

module.exports = { ensureRuntime, findBinary, isCurrent }
