/** The `weft` command, run to its end and judged by its exit status. */
import assert from 'node:assert/strict'
import { runWeft } from './controller-process.ts'

/** Runs a command that must succeed, and answers what it printed. */
export async function weftSays(...args: readonly string[]): Promise<string> {
  await using child = runWeft(args)
  const { code } = await child.ended
  assert.equal(code, 0, `weft ${args.join(' ')}\n${child.stdout}${child.stderr}`)
  return child.stdout
}

/** Runs a command that must fail in order, and answers what it said about it. */
export async function weftRefuses(...args: readonly string[]): Promise<string> {
  await using child = runWeft(args)
  const { code } = await child.ended
  assert.equal(code, 1, `weft ${args.join(' ')}\n${child.stdout}${child.stderr}`)
  assert.doesNotMatch(child.stderr, /\bat .*\.ts:\d+/, 'a stack is for bugs')
  return child.stderr
}
