/** Runs the conformance tool and reads its report. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Report } from './expected.ts'

const LIMIT = 900_000

export type ToolOptions = {
  readonly url: string
  readonly username: string
  readonly password: string
  /** The name of an edge router that is online. */
  readonly router: string | undefined
  /** Golden files, `*` allowed; all if there are none. */
  readonly only: readonly string[]
  readonly show: string
  /** Where the report and the recorded exchanges go. */
  readonly report: string
  readonly recording: string
}

/** Runs the tool, which prints its table; its report is the result, whether or not exchanges differ. */
export async function runTool(python: string, folder: string, options: ToolOptions): Promise<Report> {
  const { url, username, password, router, only, show, report, recording } = options
  for (const path of [report, recording]) rmSync(path, { recursive: true, force: true })
  const args = ['run', '--url', url, '--username', username, '--password', password, '--show', show]
  args.push('--report', report, '--out', recording)
  if (router !== undefined) args.push('--router', router)
  if (only.length > 0) args.push('--only', only.join(','))
  const child = spawn(python, [join(folder, 'conformance'), ...args], {
    // The tool draws its progress on stderr, which is for eyes only.
    stdio: ['ignore', 'inherit', process.stderr.isTTY ? 'inherit' : 'pipe'],
    signal: AbortSignal.timeout(LIMIT),
  })
  const closed = once(child, 'close')
  const complaint = child.stderr === null ? '' : await text(child.stderr)
  const [status] = await closed
  if (!existsSync(report))
    throw new Error(`the conformance tool ended with status ${status} and no report\n${complaint}`)
  return JSON.parse(readFileSync(report, 'utf8'))
}
