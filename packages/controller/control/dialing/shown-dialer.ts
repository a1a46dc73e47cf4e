/** What an inspection shows of the dialing of routers, in the form of the peers. */
import type { Clock } from '../../clock.ts'
import type { RouterDialer } from './router-dialer.ts'

export type ShownDialer = Pick<RouterDialer, 'options' | 'states'>

export function shownDialer(dialer: ShownDialer | undefined, clock: Pick<Clock, 'monotonic'>) {
  if (dialer === undefined) return { enabled: false, config: {}, routers: null }
  const { options } = dialer
  const { groups, retryBackoffFactor, queueSize, maxWorkers } = options
  const now = clock.monotonic()
  const routers = [...dialer.states().values()].map((state) => ({
    routerId: state.routerId,
    addresses: state.addresses,
    currentAddress: state.currentAddress,
    status: state.status,
    dialAttempts: state.attempts,
    retryDelay: durationText(state.retryDelay),
    nextDial: durationText(state.nextAt - now),
  }))
  return {
    enabled: true,
    config: {
      groups,
      dialDelay: durationText(options.dialDelay),
      minRetryInterval: durationText(options.minRetryInterval),
      maxRetryInterval: durationText(options.maxRetryInterval),
      retryBackoffFactor,
      fastFailureWindow: durationText(options.fastFailureWindow),
      queueSize,
      maxWorkers,
    },
    routers: routers.length === 0 ? null : routers,
  }
}

/** `5m0s`, `1.5s`, `50ms`, negative where the time has passed. */
export function durationText(milliseconds: number): string {
  const whole = Math.round(Math.abs(milliseconds))
  const sign = milliseconds < 0 && whole > 0 ? '-' : ''
  if (whole === 0) return '0s'
  if (whole < 1_000) return `${sign}${whole}ms`
  const hours = Math.floor(whole / 3_600_000)
  const minutes = Math.floor((whole % 3_600_000) / 60_000)
  const seconds = `${(whole % 60_000) / 1_000}s`
  return `${sign}${hours > 0 ? `${hours}h` : ''}${hours > 0 || minutes > 0 ? `${minutes}m` : ''}${seconds}`
}
