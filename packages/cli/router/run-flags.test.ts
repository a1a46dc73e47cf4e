import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import { type RunFlags, type RunSettings, readRunFlags, withRunFlags } from './run-flags.ts'

function settings(...args: string[]): RunSettings {
  const command = withRunFlags(new Command('run'))
    .argument('<file>')
    .exitOverride()
    .configureOutput({ writeErr() {} })
  command.parse([...args, 'r1.yml'], { from: 'user' })
  assert.deepEqual(command.args, ['r1.yml'], args.join(' '))
  return readRunFlags(command.opts<RunFlags>(), {})
}

test('without flags there is a socket, and nothing for tests', () => {
  const { agent, ...others } = settings()
  assert.match((agent!.address as { path: string }).path, /gops-agent\.\d+\.sock$/)
  assert.deepEqual(others, { log: {}, isDebugEnabled: false, isRenewalForced: false })
})

test('what scripts for Go routers pass', () => {
  assert.deepEqual(settings('-v', '--log-formatter', 'pretty').log, { logLevel: 'debug', logFormat: 'text' })
  assert.deepEqual(settings('--verbose', '--log-level', 'warn').log, { logLevel: 'warn' })
  assert.equal(settings('--cliagent=false').agent, undefined)
  assert.deepEqual(settings('--cli-agent-addr', 'tcp:127.0.0.1:9', '--cli-agent-alias', 'mine').agent, {
    address: { host: '127.0.0.1', port: 9 },
    alias: 'mine',
  })
  assert.equal(settings('--debug-ops=true', '--extend').isRenewalForced, true)
  assert.equal(settings('--debug-ops').isDebugEnabled, true, 'the file after a flag is not its value')
  assert.equal(settings('--debug-ops=true').isDebugEnabled, true)
  assert.equal(settings('--debug-ops=false').isDebugEnabled, false)
  assert.ok(settings('-a').agent)
  settings('--log-queue-size', '4096', '--log-block-threshold', 'warn', '--log-summary-interval', '5s')
})

test('what makes no sense is refused', () => {
  for (const bad of ['--cli-agent-addr=nowhere', '--log-formatter=xml']) {
    assert.throws(() => settings(bad), /wanted/, bad)
  }
})

test('the environment asks for lines for people, and a flag is asked before it', () => {
  const flags = { cliagent: true }
  assert.deepEqual(readRunFlags(flags, { PFXLOG_NO_JSON: 'TRUE' }).log, { logFormat: 'text' })
  assert.deepEqual(readRunFlags({ ...flags, logFormatter: 'json' }, { ZITI_LOG_NO_JSON: 'true' }).log, {
    logFormat: 'json',
  })
  assert.deepEqual(readRunFlags(flags, { ZITI_LOG_NO_JSON: 'no' }).log, {})
})
