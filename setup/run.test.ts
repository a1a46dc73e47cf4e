import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'

const run = join(import.meta.dirname, 'run.cjs')
const folder = mkdtempSync(join(tmpdir(), 'weft-run-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const program = join(folder, 'program.ts')
writeFileSync(
  program,
  `const [action, ...rest]: string[] = process.argv.slice(2)
  if (action === 'exit') process.exitCode = Number(rest[0])
  if (action === 'say') console.log(JSON.stringify(rest))
  if (action === 'die') process.kill(process.pid, 'SIGKILL')
  if (action === 'wait') {
    process.on('SIGTERM', () => process.exit(7))
    setInterval(() => {}, 1_000)
    console.log('ready')
  }`,
)

/** Both ways to become a program: replacing the process, and, as an older Node or Windows must, through a child. */
const ways: { way: string; start: (...args: string[]) => ChildProcess }[] = [
  { way: 'in place', start: (...args) => node(run, program, ...args) },
  {
    way: 'as a child',
    start: (...args) =>
      node('-e', 'require(process.argv[1]).runChild(process.execPath, process.argv.slice(2))', run, program, ...args),
  },
]

for (const { way, start } of ways) {
  test(`${way}, the program's exit status is ours`, { timeout: 20_000 }, async () => {
    assert.deepEqual(await once(start('exit', '3'), 'exit'), [3, null])
  })

  test(`${way}, arguments arrive unchanged`, { timeout: 20_000 }, async () => {
    const args = ['two words', '--flag', '', '"', '$HOME']
    assert.deepEqual(JSON.parse(await text(start('say', ...args).stdout!)), args)
  })

  test(`${way}, a signal reaches the program`, { timeout: 20_000, skip: onWindows() }, async () => {
    const child = start('wait')
    await once(child.stdout!, 'data')
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [7, null])
  })

  test(`${way}, a program that a signal ended is reported so`, { timeout: 20_000, skip: onWindows() }, async () => {
    assert.deepEqual(await once(start('die'), 'exit'), [null, 'SIGKILL'])
  })
}

test('a tool of a dependency is run by its name', { timeout: 20_000 }, async () => {
  assert.match(await text(node(run, '--exec', 'tsc', '--version').stdout!), /^Version \d+\./)
})

test('a tool that no dependency brings is refused', { timeout: 20_000 }, async () => {
  const child = node(run, '--exec', 'no-such-tool')
  assert.equal(await text(child.stderr!), 'weft: no dependency brings a tool named no-such-tool\n')
})

function node(...args: string[]): ChildProcess {
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
}

function onWindows(): string | false {
  return process.platform === 'win32' && 'Windows has no signals'
}
