/**
 * `weft controller`: run, initialise and restore a controller from its configuration file.
 */
import { resolve } from 'node:path'
import {
  createDefaultAdmin,
  hasDefaultAdmin,
  loadControllerConfig,
  openCore,
  restoreSnapshot,
  runOptions,
  systemClock,
} from '@weft/controller'
import { renderProblems } from '@weft/model/config-file'
import { Command } from 'commander'
import { readPassword, readUsername } from '../administrator-options.ts'
import { type LogFlags, openLog, withLogFlags } from '../log-options.ts'
import { runController } from '../run-controller.ts'
import { UsageError } from '../usage-error.ts'

export function controllerCommand(): Command {
  const controller = new Command('controller').description('Run a controller from its configuration file.')
  withLogFlags(controller.command('run'))
    .description('start the controller and stay until stopped')
    .argument('<file>', 'controller configuration file')
    .action(run)
  withLogFlags(controller.command('init'))
    .description('make the database with its default administrator')
    .argument('<file>', 'controller configuration file')
    .requiredOption('-u, --username <name>', 'user name of the administrator', readUsername)
    .requiredOption('-p, --password <password>', 'password of the administrator', readPassword)
    .option('-n, --name <name>', 'name of the administrator', 'Default Admin')
    .action(init)
  controller
    .command('restore')
    .description('put a snapshot in place of the database; the replaced one is kept')
    .argument('<snapshot>', 'file written by a snapshot')
    .argument('<file>', 'controller configuration file')
    .action(restore)
  return controller
}

function load(file: string) {
  const { config, warnings } = loadControllerConfig(file, process.env)
  if (warnings.length > 0) process.stderr.write(`${renderProblems(warnings)}\n`)
  return config
}

async function run(file: string, flags: LogFlags): Promise<void> {
  const config = load(file)
  const log = openLog(flags, { level: config.log.level, ...(config.log.format && { format: config.log.format }) })
  const running = await runController(config, log)
  for (const { server, bindPoint, address } of running.controller.web.listeners) {
    if (address !== undefined) log.info('listening', { server, interface: bindPoint.interface })
  }
  process.exitCode = await running.untilStopped()
}

async function init(
  file: string,
  flags: LogFlags & { username: string; password: string; name: string },
): Promise<void> {
  const { username, password, name } = flags
  const log = openLog(flags, { level: 'warn' })
  const { options, invitations } = await runOptions(load(file), {
    clock: systemClock,
    log,
    baseDirectory: process.cwd(),
  })
  const onFailure = (err: unknown) => log.error('the store has failed', { err })
  await using core = await openCore({ clock: systemClock, log, invitations, onFailure }, options)
  if (hasDefaultAdmin(core.kit)) throw new UsageError('this database already has its default administrator')
  await createDefaultAdmin(core.kit, { username, password, name })
  process.stdout.write(`The default administrator is ${username}. Next: weft controller run ${file}\n`)
}

async function restore(snapshot: string, file: string): Promise<void> {
  const config = load(file)
  const target = resolve(config.database)
  const { index, replaced } = await restoreSnapshot({ snapshot: resolve(snapshot), file: target, clock: systemClock })
  process.stdout.write(
    `Restored to change ${index}.${replaced === null ? '' : ` The former database is ${replaced}.`}\n`,
  )
}
