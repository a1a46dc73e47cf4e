/**
 * The `weft` command: reads the command line, runs one command, and says in one line what went wrong.
 */
import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { edgeCommand, enrollCommand, extendCommand } from './commands/enroll.ts'
import { pkiCommand } from './commands/pki.ts'
import { UsageError } from './usage-error.ts'

const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.url), 'utf8')) as { version: string }

const weft = new Command('weft')
  .description('A zero-trust overlay network: controller, routers and the tools to run them.')
  .version(version)
const tools = [pkiCommand(), enrollCommand(), extendCommand()]
const edge = edgeCommand()
const isTool = [...tools, edge].some((tool) => tool.name() === process.argv[2])
for (const command of [...(isTool ? [] : await loadPrograms()), ...tools]) weft.addCommand(command)
weft.addCommand(edge, { hidden: true })

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

try {
  await weft.parseAsync(process.argv)
} catch (error) {
  const { message, code, stack } = error as Error & { readonly code?: string }
  // An error with a code is one we expect: its text is written for people. Anything else is a bug and shows where.
  process.stderr.write(error instanceof UsageError || code !== undefined ? `weft: ${message}\n` : `weft: ${stack}\n`)
  process.exitCode = 1
}

/** A tool is done before the programs would be loaded; only who runs or asks for them waits. */
async function loadPrograms(): Promise<Command[]> {
  const { startCommand } = await import('./commands/start.ts')
  const { controllerCommand } = await import('./commands/controller.ts')
  const { routerCommand } = await import('./commands/router.ts')
  return [startCommand(), controllerCommand(), routerCommand()]
}
