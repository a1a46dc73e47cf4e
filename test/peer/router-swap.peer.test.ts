/** One file, two programs: a router that one of them was set up for is run by the other in its place, and back. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { appendFile, mkdir, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { ApiClient } from '../kit/api-client.ts'
import { Child } from '../kit/child-process.ts'
import { ControllerProcess, runWeft } from '../kit/controller-process.ts'
import { freePort } from '../kit/free-port.ts'
import { initialised } from '../kit/initialised.ts'
import { until } from '../kit/patience.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'
import { findPeer } from '../runner/find-peer.ts'

const execute = promisify(execFile)
const limits = { timeout: 120_000 }
const peer = findPeer(process.env)!
const made = new AsyncDisposableStack()
after(() => made.disposeAsync())
const folder = made.use(await temporaryFolder('router-swap'))
const configuration = await initialised(join(folder.path, 'controller'), {})
const controller = made.use(await ControllerProcess.run(configuration))
const admin = made.use(await ApiClient.login(controller))

type Program = 'ours' | 'stock'

/** A router of the controller that nobody has enrolled yet, and where its files are. */
async function newRouter(name: string, kind: 'edge-routers' | 'transit-routers' = 'edge-routers') {
  const id = await admin.create(kind, { name, ...(kind === 'edge-routers' ? { isTunnelerEnabled: true } : {}) })
  const path = `/${kind}/${id}`
  const { enrollmentJwt } = await admin.detail(path)
  const home = join(folder.path, name)
  await mkdir(home)
  const token = join(home, `${name}.jwt`)
  await writeFile(token, String(enrollmentJwt))
  return { path, home, token, file: join(home, `${name}.yml`) }
}

async function command(
  program: Program,
  home: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  if (program === 'stock') {
    const options = { cwd: home, env: { ...process.env, ...env }, timeout: 60_000 }
    return (await execute(peer, [...args], options)).stdout
  }
  await using child = runWeft([...args])
  assert.equal((await child.ended).code, 0, child.stderr)
  return child.stdout
}

type NewRouter = Awaited<ReturnType<typeof newRouter>>

/** Runs it until it is online, and whatever is to be done then, and ends it; what it said. */
async function serves(
  { path, home, file }: NewRouter,
  program: Program,
  look: () => Promise<unknown> = async () => {},
): Promise<string> {
  const isOnline = async () => (await admin.detail(path))['isOnline'] === true
  await until('nobody is there', async () => !(await isOnline()))
  const args = ['router', 'run', file, '--cliagent=false']
  const child = program === 'stock' ? new Child(peer, args, { cwd: home }) : runWeft(args, { cwd: home })
  await using running = child
  const said = () => running.stdout + running.stderr
  await until(
    `the router of ${program} is online`,
    async () => {
      assert.ok(!running.hasEnded, said())
      return await isOnline()
    },
    { within: 30_000 },
  )
  await look()
  await running.stop('SIGTERM')
  return said()
}

test('what ours was set up with, theirs runs, and ours again', limits, async () => {
  const router = await newRouter('r1')
  const ports = ['--edge-port', `${await freePort()}`, '--link-port', `${await freePort()}`]
  await command('ours', router.home, ['router', 'config', 'r1', '-o', router.file, '--host', '127.0.0.1', ...ports])
  await command('ours', router.home, ['router', 'enroll', router.file, '--jwt', router.token])
  const isSynchronised = async () => (await admin.detail(router.path))['syncStatus'] === 'SYNC_DONE'
  await serves(router, 'ours', () => until('it knows the network', isSynchronised))
  const said = await serves(router, 'stock')
  assert.match(said, /loaded router model from file/, 'what one has kept of the network serves the other')
  assert.doesNotMatch(await serves(router, 'ours'), /the kept data model cannot be used/)
})

/** The health of a router, as a monitor reads it. */
async function healthOf(port: number) {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const options = { host: '127.0.0.1', port, path: '/health-checks', ca: controller.ca, agent: false }
  get(options, resolve).on('error', reject)
  const response = await promise
  const { data, meta } = JSON.parse(await readText(response))
  const checks = (data.checks as { id: string }[]).toSorted((one, other) => one.id.localeCompare(other.id))
  return { status: response.statusCode, type: response.headers['content-type'], isHealthy: data.healthy, checks, meta }
}

test('monitors are answered alike, at the port of links', limits, async () => {
  const router = await newRouter('r4')
  const port = await freePort()
  const ports = ['--edge-port', `${await freePort()}`, '--link-port', `${port}`]
  await command('ours', router.home, ['router', 'config', 'r4', '-o', router.file, '--host', '127.0.0.1', ...ports])
  await appendFile(
    router.file,
    `
web:
  - name: monitors
    bindPoints: [{ interface: "0.0.0.0:${port}", address: "127.0.0.1:${port}" }]
    apis: [{ binding: health-checks }]
healthChecks: { ctrlPingCheck: { interval: 1s, timeout: 1s, initialDelay: 100ms } }
`,
  )
  await command('ours', router.home, ['router', 'enroll', router.file, '--jwt', router.token])
  const seen = new Map<Program, unknown>()
  for (const program of ['stock', 'ours'] as const) {
    await serves(router, program, async () => {
      await until('it is healthy', async () => (await healthOf(port)).isHealthy === true)
      const { checks, ...others } = await healthOf(port)
      const times = /^(?:lastCheckDuration|lastCheckTime)$/u
      const shapes = checks.map((check) =>
        Object.entries(check).map(([key, value]) => [key, times.test(key) ? typeof value : value]),
      )
      seen.set(program, { ...others, shapes })
    })
  }
  assert.deepEqual(seen.get('ours'), seen.get('stock'))
})

test('so it is with a router that only carries', limits, async () => {
  const router = await newRouter('r3', 'transit-routers')
  const flags = ['--fabric', '--host', '127.0.0.1', '--link-port', `${await freePort()}`]
  await command('ours', router.home, ['router', 'config', 'r3', '-o', router.file, ...flags])
  await command('ours', router.home, ['router', 'enroll', router.file, '--jwt', router.token])
  for (const program of ['stock', 'ours'] as const) await serves(router, program)
})

test('what theirs was set up with, ours runs, and theirs again', limits, async () => {
  const router = await newRouter('r2')
  await command('stock', router.home, ['create', 'config', 'router', 'edge', '-n', 'r2', '-o', router.file], {
    ZITI_HOME: router.home,
    ZITI_ROUTER_ADVERTISED_ADDRESS: '127.0.0.1',
    ZITI_ROUTER_IP_OVERRIDE: '127.0.0.1',
    ZITI_ROUTER_PORT: `${await freePort()}`,
    ZITI_ROUTER_LISTENER_BIND_PORT: `${await freePort()}`,
  })
  await command('stock', router.home, ['router', 'enroll', router.file, '--jwt', router.token, '--keyAlg', 'EC'])
  for (const program of ['stock', 'ours', 'stock'] as const) await serves(router, program)
})
