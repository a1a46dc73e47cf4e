/**
 * `npm run conformance`: starts a fresh controller, drives it through the recorded exchanges of a real network with the
 * conformance tool that lies beside this repository, and fails when clearly fewer pass than expected.json says.
 *
 *   npm run conformance -- --only management/services,management/configs
 *   npm run conformance -- --show 100        differences to print
 *   npm run conformance -- --update          raises the numbers of expected.json to what passed
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startController } from './controller-process.ts'
import { best, countPasses, type Expected, findShortfalls, raise } from './expected.ts'
import { ensurePython, MissingToolError } from './python.ts'
import { runTool } from './tool.ts'

const root = join(import.meta.dirname, '..', '..')
const toolFolder = resolve(process.env.WEFT_CONFORMANCE_DIR ?? join(root, '..', 'shared', 'conformance'))
const expectedFile = join(import.meta.dirname, 'expected.json')
const cache = join(root, '.cache', 'conformance')

/** What clients ask needs a router that is online; everything else was recorded without regard to one. */
const withRouter = ['client/*', 'oidc/06-sessions-with-access-token']
const withoutRouter = ['enrollment/*', 'fabric/*', 'management/*', 'oidc/*']

const { values: options } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    show: { type: 'string', default: '20' },
    update: { type: 'boolean', default: false },
  },
})

try {
  process.exitCode = (await main()) ? 0 : 1
} catch (error) {
  if (!(error instanceof MissingToolError)) throw error
  console.log(`conformance: not run, ${error.message}`)
  process.exitCode = process.env.WEFT_REQUIRE_TOOLS === '1' ? 1 : 0
}

async function main(): Promise<boolean> {
  if (!existsSync(join(toolFolder, 'conformance'))) {
    console.log('conformance: not run, tool folder not found')
    return true
  }
  mkdirSync(cache, { recursive: true })
  const python = await ensurePython(join(cache, 'venv'))
  const expected: Expected = JSON.parse(readFileSync(expectedFile, 'utf8'))

  const only = options.only.split(',').filter((pattern) => pattern !== '')
  let passes = await runOnce(python, 'first', only)
  const missed = findShortfalls(expected, passes)
  if (missed.length > 0) {
    const files = missed.map(({ file }) => file)
    console.log(`\nconformance: fewer than expected, asked once more: ${files.join(', ')}`)
    passes = best(passes, await runOnce(python, 'again', files))
  }
  if (options.update) writeFileSync(expectedFile, `${JSON.stringify(raise(expected, passes), undefined, 2)}\n`)
  return isEnough(expected, passes)
}

async function runOnce(python: string, name: string, only: readonly string[]): Promise<Record<string, number>> {
  const isOfClients = (pattern: string) => pattern.startsWith('client/') || withRouter.includes(pattern)
  const clients = only.length === 0 ? withRouter : only.filter(isOfClients)
  const others = only.length === 0 ? withoutRouter : only.filter((pattern) => !isOfClients(pattern))
  return {
    ...(await runGroup(python, name, others, false)),
    ...(await runGroup(python, `${name}-clients`, clients, true)),
  }
}

/** One run of the tool on a controller of its own, because the recordings start from an empty database. */
async function runGroup(python: string, name: string, only: readonly string[], hasRouter: boolean) {
  if (only.length === 0) return {}
  await using controller = await startController(root, join(cache, `${name}.log`), hasRouter)
  const report = join(cache, `${name}.json`)
  const recording = join(cache, `${name}-recording`)
  const { url, username, password, router } = controller
  const { show } = options
  return countPasses(
    await runTool(python, toolFolder, { url, username, password, router, only, show, report, recording }),
  )
}

function isEnough(expected: Expected, passes: Record<string, number>): boolean {
  const sum = Object.values(passes).reduce((total, count) => total + count, 0)
  console.log(`\nconformance: ran, ${sum} exchanges pass`)
  const shortfalls = findShortfalls(expected, passes)
  for (const { file, wanted, passed } of shortfalls)
    console.log(`conformance: ${file}: ${passed} pass, ${wanted} did before`)
  const missing = shortfalls.reduce((total, { wanted, passed }) => total + wanted - passed, 0)
  if (missing > expected.tolerance) console.log(`conformance: failed, ${missing} fewer exchanges pass than before`)
  return missing <= expected.tolerance
}
