/** A controller as a user starts it: a process of its own, with a home that is new and goes with it. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { get } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const START_LIMIT = 60_000
const STOP_LIMIT = 10_000
const LAST_LINES = 30

export type RunningController = AsyncDisposable & {
  readonly url: string
  readonly username: string
  readonly password: string
  /** The name of its router, which is online. */
  readonly router: string | undefined
}

/** Starts a controller and waits until it answers; what it prints goes to `log`. */
export async function startController(root: string, log: string, hasRouter: boolean): Promise<RunningController> {
  const port = await findFreePort()
  const url = `https://127.0.0.1:${port}`
  const [username, password] = ['admin', 'admin']
  const home = mkdtempSync(join(tmpdir(), 'weft-conformance-'))
  const output = openSync(log, 'w')
  const program = [join(root, 'packages', 'cli', 'main.ts'), 'start', '--home', home, '--port', `${port}`]
  const flags = ['--username', username, '--password', password, ...(hasRouter ? [] : ['--no-router'])]
  const child = spawn(process.execPath, [...program, ...flags], {
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const stop = async () => {
    process.off('exit', killNow)
    await end(child)
    rmSync(home, { recursive: true, force: true })
  }
  const killNow = () => child.kill('SIGKILL')
  process.once('exit', killNow)
  try {
    await answers(child, `${url}/edge/management/v1/version`)
    await hasSaid(child, log)
  } catch (error) {
    await stop()
    const said = readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LAST_LINES).join('\n')
    throw new Error(`the controller did not start; it said:\n${said}`, { cause: error })
  }
  const router = hasRouter ? /^ *router +([\w-]+), online$/m.exec(readFileSync(log, 'utf8'))?.[1] : undefined
  return { url, username, password, router, [Symbol.asyncDispose]: stop }
}

/** Waits until the document is served; gives up when the process has ended or the time is over. */
async function answers(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + START_LIMIT
  while (performance.now() < deadline) {
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('it ended')
    if ((await fetchStatus(url)) === 200) return
    await sleep(100)
  }
  throw new Error(`it did not answer within ${START_LIMIT / 1_000} s`)
}

/** Waits until everything that it starts runs. */
async function hasSaid(child: ChildProcess, log: string): Promise<void> {
  const deadline = performance.now() + START_LIMIT
  while (!readFileSync(log, 'utf8').includes('Ctrl-C stops it.')) {
    if (child.exitCode !== null || performance.now() > deadline) throw new Error('it did not say that it runs')
    await sleep(100)
  }
}

/** The status of an answer, or undefined while nobody answers. Its certificate is of a CA that nobody knows yet. */
function fetchStatus(url: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(url, { rejectUnauthorized: false, agent: false, timeout: 2_000 }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.once('timeout', () => request.destroy())
    request.once('error', () => resolve(undefined))
  })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT)
  await ended
  clearTimeout(timer)
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no TCP port')
  return address.port
}
