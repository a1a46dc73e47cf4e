/**
 * `weft router run FILE`: runs a router until it is told to stop.
 *
 * The first SIGINT or SIGTERM ends it in order; SIGQUIT says before what keeps it busy. A router that never reaches a
 * controller ends with an error, because whoever started it should know.
 */
import { type RootLogger, systemClock } from '@weft/controller'
import { renderProblems } from '@weft/model/config-file'
import { activityText, loadRouterConfig, Router } from '@weft/router'
import { Command } from 'commander'
import { openLog } from '../log-options.ts'
import { type RunFlags, readRunFlags, withRunFlags } from './run-flags.ts'

export function runCommand(): Command {
  const command = new Command('run').description('run a router').argument('<file>', 'router configuration file')
  return withRunFlags(command).action(run)
}

async function run(file: string, given: RunFlags): Promise<void> {
  const { log: logFlags, agent, isDebugEnabled: isDebugging, isRenewalForced } = readRunFlags(given)
  const { config, warnings } = loadRouterConfig(file, process.env)
  if (warnings.length > 0) process.stderr.write(`${renderProblems(warnings)}\n`)
  const log = openLog(logFlags, { level: 'info' })
  const ended = Promise.withResolvers<number>()
  const onFailure = (err: Error) => {
    log.error('the router stops', { err })
    if (process.env.STACKDUMP_ON_FAILED_STARTUP === 'true') process.stderr.write(activityText())
    ended.resolve(1)
  }
  const router = await Router.start(
    { clock: systemClock, log, levels: log, onFailure },
    { config, baseDirectory: process.cwd(), isDebugging, isRenewalForced, ...(agent && { agent }) },
  )
  log.info('router runs', { router: router.routerId })
  followSignals(log, (status) => ended.resolve(status))
  const status = await ended.promise
  await router[Symbol.asyncDispose]()
  log.info('router stopped')
  await log[Symbol.asyncDispose]()
  process.exitCode = status
}

function followSignals(log: RootLogger, end: (status: number) => void): void {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(0))
  // Only a router that another process runs has a channel to lose; by itself it keeps nobody from ending.
  process.on('disconnect', () => end(0))
  process.channel?.unref()
  if (process.platform === 'win32') return
  process.on('SIGQUIT', () => {
    process.stderr.write(activityText())
    end(0)
  })
  // Node keeps SIGUSR1 for its debugger.
  process.on('SIGUSR2', () => {
    log.setLevel(log.level === 'debug' ? 'info' : 'debug')
    log.info('log level changed', { to: log.level })
  })
}
