/** The stock command line asks our agent socket. Run by `npm run test:peer`. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { promisify } from 'node:util'
import { AgentSocket } from './agent-socket.ts'

const execute = promisify(execFile)
const folder = mkdtempSync(join(tmpdir(), 'weft-agent-peer-'))
after(() => rmSync(folder, { recursive: true }))

test('what operators use', { timeout: 120_000 }, async () => {
  const path = join(folder, 'agent.sock')
  const levels: string[] = []
  const asked: string[] = []
  const done = (name: string) => async () => {
    asked.push(name)
    return { isSuccess: true, text: `${name} done\n` }
  }
  await using _agent = await AgentSocket.open(
    {
      app: { id: 'router-1', alias: 'mine', version: 'v2.1.0' },
      operations: {
        inspect: (names) => ({
          success: true,
          errors: [],
          values: names.map((name) => ({ name, value: `about ${name}` })),
        }),
        dumpForwarderTables: () => 'the tables\n',
        links: () => [{ id: 'l1', destination: 'r2', protocol: 'tls' }],
        quiesce: done('quiesce'),
        dequiesce: done('dequiesce'),
        decommission: done('decommission'),
        debug: {
          forgetLink: (id) => id === 'l1',
          toggleControlChannel: async (id, isOn) => ({ isSuccess: true, text: `toggled ${id} ${isOn}` }),
          addRoute() {},
          unroute() {},
          dumpApiSessions: () => 'the sessions\n',
        },
      },
      levels: { setLevel: (level) => void levels.push(level) },
      log: { debug() {}, info() {}, warn() {}, error: console.error },
    },
    { path },
  )
  const ziti = async (...args: string[]) => {
    const { stdout, stderr } = await execute(
      process.env['ZITI_BIN']!,
      ['agent', ...args, '--app-addr', `unix:${path}`],
      {
        timeout: 20_000,
      },
    )
    return stdout + stderr
  }
  assert.match(await ziti('goversion'), /^node v/m)
  assert.match(await ziti('memstats'), /heap-alloc/)
  assert.match(await ziti('stats'), /num CPU/)
  assert.match(await ziti('stack'), /active resources/)
  assert.match(await ziti('gc'), /ok/)
  assert.match(await ziti('router', 'dump-links'), /id: l1 dest: r2 protocol: tls/)
  assert.match(await ziti('router', 'dump-routes'), /the tables/)
  assert.match(await ziti('router', 'quiesce'), /quiesce done/)
  assert.match(await ziti('router', 'dequiesce'), /dequiesce done/)
  assert.match(await ziti('router', 'decommission'), /decommission done/)
  assert.match(await ziti('router', 'forget-link', 'l1'), /link removed: true/)
  assert.match(await ziti('router', 'disconnect'), /toggled/)
  assert.match(await ziti('router', 'reconnect'), /toggled/)
  assert.match(await ziti('inspect', 'links'), /about links/)
  await ziti('set-log-level', 'debug')
  assert.deepEqual(levels, ['debug'])
  assert.deepEqual(asked, ['quiesce', 'dequiesce', 'decommission'])
})
