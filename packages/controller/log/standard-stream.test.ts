import assert from 'node:assert/strict'
import { type StdioOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

/** Logs many lines, waits shortly for them, and exits. Says on standard output whether any was dropped. */
const program = `
  import { createLogger } from './logger.ts'
  import { standardStream } from './standard-stream.ts'
  const logger = createLogger({ stream: standardStream(2) }, { level: 'info', format: 'json', maxWaitingBytes: 1_000_000 })
  for (let i = 0; i < 20_000; i++) {
    logger.info('x'.repeat(200))
    if (i % 1_000 === 0) await logger.flush(5)
  }
  await logger.flush(200)
  process.stdout.write(logger.dropped > 0 ? 'dropped' : 'complete', () => process.exit(0))`

async function run(stderr: 'pipe' | number): Promise<{ code: number | null; answer: string }> {
  const stdio: StdioOptions = ['ignore', 'pipe', stderr]
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    cwd: import.meta.dirname,
    stdio,
  })
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  let answer = ''
  child.stdout!.on('data', (data) => {
    answer += data
  })
  const [code] = await once(child, 'exit')
  clearTimeout(timer)
  child.stderr?.destroy()
  return { code, answer }
}

test('a process whose standard error nobody reads keeps running and exits', async () => {
  assert.deepEqual(await run('pipe'), { code: 0, answer: 'dropped' })
})

test('standard error may be a file: every line is there, after what was there before', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'weft-log-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'log')
  const file = await open(path, 'w')
  await file.write('before\n')
  const { code, answer } = await run(file.fd)
  await file.close()
  assert.equal(code, 0)
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n')
  assert.equal(lines[0], 'before')
  if (answer === 'complete') assert.equal(lines.length, 20_001)
  for (const line of lines.slice(1)) assert.equal(JSON.parse(line).level, 'info')
})
