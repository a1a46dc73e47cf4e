/**
 * The openssl command as an independent judge in tests; they skip, with a reason, where it is not installed, and fail
 * where tools are required (`WEFT_REQUIRE_TOOLS=1`).
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Goes into a test's `skip` option. */
export const opensslMissing: string | false =
  process.env['WEFT_REQUIRE_TOOLS'] === '1' || spawnSync('openssl', ['version'], { timeout: 10_000 }).status === 0
    ? false
    : 'the openssl command is not installed'

/** Standard output and error of one call; throws if it fails. */
export function openssl(args: readonly string[], options: { cwd?: string; input?: string | Buffer } = {}): string {
  const run = spawnSync('openssl', args, { ...options, timeout: 30_000, encoding: 'utf8' })
  if (run.status !== 0) throw new Error(`openssl ${args.join(' ')}: ${run.stderr}`)
  return run.stdout + run.stderr
}

/** A directory that is removed at the end of the scope. */
export function temporaryDirectory(): { path: string; [Symbol.dispose](): void } {
  const path = mkdtempSync(join(tmpdir(), 'weft-pki-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
