/**
 * The `weft` command: reads the command line, runs one command, and says in one line what went wrong.
 */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { controllerCommand } from './commands/controller.ts'
import { startCommand } from './commands/start.ts'
import { UsageError } from './usage-error.ts'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string }

const weft = new Command('weft')
  .description('A zero-trust overlay network: controller, routers and the tools to run them.')
  .version(version)
  .addCommand(startCommand())
  .addCommand(controllerCommand())

try {
  await weft.parseAsync(process.argv)
} catch (error) {
  const { message, code, stack } = error as Error & { readonly code?: string }
  // An error with a code is one we expect: its text is written for people. Anything else is a bug and shows where.
  process.stderr.write(error instanceof UsageError || code !== undefined ? `weft: ${message}\n` : `weft: ${stack}\n`)
  process.exitCode = 1
}
