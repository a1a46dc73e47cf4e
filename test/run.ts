/**
 * `npm test`: lint, then every test file of the repository, each in a process and under a deadline of its own.
 *
 *   npm test                    everything that needs nothing but this repository
 *   npm test -- pki/der store   the files whose path contains one of these, without lint
 *   npm run test:long           full counts as well (WEFT_LONG=1), and the files named *.long.test.ts
 *   npm run test:peer           the files named *.peer.test.ts, against the stock peer that ZITI_BIN or the PATH names; those
 *                               that carry traffic of programs need Go as well
 *   npm run test:interop        the files named *.interop.test.ts, with the Go that GO_BIN or the PATH names
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { findGo } from './runner/find-go.ts'
import { findPeer } from './runner/find-peer.ts'
import { printOutcome, printSummary } from './runner/print-outcome.ts'
import { findTestFiles, type Outcome, runTestFile } from './runner/test-file.ts'

const DEADLINE = 120_000
const LONG_DEADLINE = 3_600_000
const root = join(import.meta.dirname, '..')

process.exitCode = (await main()) ? 0 : 1

async function main(): Promise<boolean> {
  const { values, positionals } = readArguments()
  if (values.long) process.env.WEFT_LONG = '1'
  if (values.peer) {
    const peer = findPeer(process.env)
    if (peer === undefined) {
      console.error('test: no stock peer; put `ziti` on the PATH, or name it: ZITI_BIN=/path/to/ziti npm run test:peer')
      return false
    }
    process.env.ZITI_BIN = peer
  }
  if (values.interop && findGo(process.env) === undefined) {
    console.error('test: no Go; put `go` on the PATH, or name it: GO_BIN=/path/to/go npm run test:interop')
    return false
  }

  const files = findTestFiles(root, values).filter(
    (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
  )
  if (files.length === 0) {
    console.error('test: no test file matches')
    return false
  }

  const needsOthers = values.peer || values.interop
  const isLintWanted = positionals.length === 0 && !needsOthers
  const isClean = !isLintWanted || (await lint())
  const started = performance.now()
  const outcomes = await runAll(files, values.long || needsOthers ? LONG_DEADLINE : DEADLINE)
  printSummary(outcomes, performance.now() - started)
  if (!isClean) console.log('lint failed, see the beginning')
  return isClean && outcomes.every(({ isPassed }) => isPassed)
}

function readArguments() {
  const flag = { type: 'boolean', default: false } as const
  const options = { long: flag, peer: flag, interop: flag }
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    console.error(`test: ${(error as Error).message}`)
    process.exit(2)
  }
}

async function lint(): Promise<boolean> {
  const child = spawn(process.execPath, [join(root, 'setup', 'lint.ts')], { cwd: root, stdio: 'inherit' })
  const [status] = await once(child, 'close')
  return status === 0
}

/** Runs the files, as many at a time as there are cores; many wait more than they compute, so never fewer than two. */
async function runAll(files: readonly string[], deadline: number): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const waiting = files.values()
  const workers = Array.from({ length: Math.max(2, availableParallelism()) }, async () => {
    for (const file of waiting) {
      const outcome = await runTestFile(root, file, deadline)
      outcomes.push(outcome)
      await printOutcome(outcome)
    }
  })
  await Promise.all(workers)
  return outcomes
}
