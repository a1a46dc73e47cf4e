/**
 * `weft start`: from nothing to a running network, in one command.
 */
import { randomBytes } from 'node:crypto'
import {
  createDefaultAdmin,
  defaultAdminUsername,
  hasDefaultAdmin,
  loadControllerConfig,
  type RootLogger,
} from '@weft/controller'
import { Command, InvalidArgumentError } from 'commander'
import { readPassword, readUsername } from '../administrator-options.ts'
import { FirstRouter } from '../first-router.ts'
import { ensureHome, type Home, type HomeOptions } from '../home.ts'
import { type LogFlags, openLog, withLogFlags } from '../log-options.ts'
import { type Running, runController } from '../run-controller.ts'
import { UsageError } from '../usage-error.ts'

interface StartFlags extends HomeOptions, LogFlags {
  readonly username: string
  readonly password?: string
  readonly router: boolean
}

export function startCommand(): Command {
  return withLogFlags(new Command('start'))
    .description('start a network of your own, making everything it needs the first time')
    .option('--home <directory>', 'where its data lies (default: weft in your data directory)')
    .option('--port <number>', 'port of the API (default: 1280, or the port of last time)', readPort)
    .option('--address <host>', 'host that others reach it by (default: 127.0.0.1, or that of last time)')
    .option('--username <name>', 'user name of the administrator, for the first start', readUsername, 'admin')
    .option(
      '--password <password>',
      'password of the administrator, for the first start (default: a random one)',
      readPassword,
    )
    .option('--no-router', 'run the controller alone')
    .action(start)
}

async function start(flags: StartFlags): Promise<void> {
  const log = openLog(flags, { level: 'warn', format: 'text' })
  const home = await ensureHome(flags)
  const running = await runIn(home, log)
  const { kit } = running.controller.core
  let password: string | undefined
  if (!hasDefaultAdmin(kit)) {
    password = flags.password ?? randomBytes(12).toString('base64url')
    await createDefaultAdmin(kit, { username: flags.username, password, name: flags.username })
  }
  const router = flags.router ? await startRouter(running, home, log) : undefined
  const standing = router === undefined ? undefined : await standingOf(router)
  process.stdout.write(welcome(home, defaultAdminUsername(kit) ?? flags.username, password, standing))
  process.exitCode = await running.untilStopped(router)
}

/** A controller in its home, which is kept as it was if the controller cannot start. */
async function runIn(home: Home, log: RootLogger): Promise<Running> {
  try {
    await using started = new AsyncDisposableStack()
    const { config } = loadControllerConfig(home.configFile, process.env)
    const running = await runController(config, log)
    started.use(running.controller)
    await home.keep()
    started.move()
    return running
  } catch (error) {
    await home.discard()
    throw portAdvice(error, home)
  }
}

/** A network without its router still has its controller: what went wrong is said, and the rest goes on. */
async function startRouter({ controller }: Running, home: Home, log: RootLogger): Promise<FirstRouter | undefined> {
  try {
    return await FirstRouter.start({ controller, home, log })
  } catch (err) {
    log.error('the network starts without a router', { err })
    return undefined
  }
}

async function standingOf(router: FirstRouter): Promise<string> {
  return (await router.isOnline()) ? `${router.name}, online` : `${router.name}, not online yet: ${router.configFile}`
}

function readPort(text: string): number {
  const port = Number(text)
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new InvalidArgumentError('wanted 1 to 65535')
  return port
}

function portAdvice(error: unknown, { port }: Home): unknown {
  const { code, message } = error as { readonly code?: string; readonly message?: string }
  if (code !== 'EADDRINUSE' && code !== 'ADDRESS_IN_USE') return error
  return new UsageError(`${message}\nStop that process, or choose another port: npm start -- --port ${port + 1}`)
}

/** The commands work as printed; after the first start the password is the reader's to fill in. */
function welcome(
  { directory, caFile, url }: Home,
  username: string,
  password: string | undefined,
  router: string | undefined,
): string {
  const curl = `curl -s --cacert ${shellQuoted(caFile)}`
  const api = `${url}/edge/management/v1`
  // Within the quotes of the document, a quote of the shell opens a gap for the variable.
  const secret = password === undefined ? `"'"$WEFT_PASSWORD"'"` : shellEscaped(JSON.stringify(password))
  const credentials = `'{"username":${shellEscaped(JSON.stringify(username))},"password":${secret}}'`
  const login =
    `TOKEN=$(${curl} -H 'content-type: application/json' -d ${credentials} ` +
    `'${api}/authenticate?method=password' | sed 's/.*"token":"\\([^"]*\\)".*/\\1/')`
  const routerLine = router === undefined ? '' : `  router    ${router}\n`
  const shown = password === undefined ? '' : `  password  ${password}   (shown this once)\n`
  return `
Weft is running.

  address   ${url}
${routerLine}  home      ${directory}
  username  ${username}
${shown}
Try next, in another terminal:

  ${curl} ${url}/version
  ${login}
  ${curl} -H "zt-session: $TOKEN" ${api}/identities

Ctrl-C stops it.
`
}

/** Text inside single quotes of the shell: a quote of its own leaves them, is escaped, and enters them again. */
function shellEscaped(text: string): string {
  return text.replaceAll("'", `'\\''`)
}

function shellQuoted(text: string): string {
  return `'${shellEscaped(text)}'`
}
