/**
 * Runs a controller from a configuration file until it is told to stop.
 *
 * The first SIGINT or SIGTERM ends it in order; a store that fails ends it with an error, because what cannot be made
 * durable must not be answered.
 */
import { Controller, type ControllerConfig, type RootLogger, runOptions, systemClock } from '@weft/controller'

export interface Running {
  readonly controller: Controller
  /** Waits for a signal or a failure, stops the controller after what depends on it, and answers the exit status. */
  untilStopped(dependent?: AsyncDisposable): Promise<number>
}

export async function runController(config: ControllerConfig, log: RootLogger): Promise<Running> {
  const ended = Promise.withResolvers<number>()
  const onFailure = (err: unknown) => {
    log.error('the store has failed; the controller stops', { err })
    ended.resolve(1)
  }
  const baseDirectory = process.cwd()
  const { options, invitations } = await runOptions(config, { clock: systemClock, log, baseDirectory })
  const controller = await Controller.start({ clock: systemClock, log, invitations, onFailure }, options)
  // Node keeps SIGUSR1 for its debugger. Windows has neither.
  if (process.platform !== 'win32') process.on('SIGUSR2', () => toggleDebug(log))
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ended.resolve(0))
  return {
    controller,
    async untilStopped(dependent) {
      const status = await ended.promise
      await dependent?.[Symbol.asyncDispose]()
      await controller[Symbol.asyncDispose]()
      log.info('controller stopped')
      await log[Symbol.asyncDispose]()
      return status
    },
  }
}

/** From any level to debug and back to info, so that a running controller can be looked at without a restart. */
function toggleDebug(log: RootLogger): void {
  log.setLevel(log.level === 'debug' ? 'info' : 'debug')
  log.info('log level changed', { to: log.level })
}
