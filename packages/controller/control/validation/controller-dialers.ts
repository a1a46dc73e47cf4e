/** Whether the controller dials the routers that it should, and no others. */
import type { ConnectedRouters } from '../../fabric/connected-routers.ts'
import type { View } from '../../state/view.ts'
import type { DialState, DialStatus } from '../dialing/dial-schedule.ts'
import { dialledAddresses } from '../dialing/dialled-addresses.ts'
import type { RouterDialer } from '../dialing/router-dialer.ts'
import type { RouterRow, Validation } from './validation.ts'

export interface DialersDeps {
  readonly view: View
  readonly routers: Pick<ConnectedRouters, 'isOnline'>
  readonly dialer: Pick<RouterDialer, 'states' | 'options'>
}

export interface DialerResult {
  readonly componentId: string
  readonly componentName: string
  readonly validateSuccess: boolean
  readonly errors: readonly string[]
}

/** One result for each router that this controller would dial, or dials. */
export function validateDialers(deps: DialersDeps): Validation<DialerResult> {
  const states = new Map(deps.dialer.states())
  const results: DialerResult[] = []
  for (const router of deps.view.rows('routers')) {
    const state = states.get(router.id)
    states.delete(router.id)
    const problem = problemOf(deps, router, state?.status)
    if (problem !== undefined) results.push(result(router.id, router.name, problem))
  }
  for (const { routerId, status } of states.values()) results.push(result(routerId, '', stray('is gone', status)))
  return {
    count: results.length,
    async run(tell, signal) {
      for (const each of results) if (!signal.aborted) await tell(each)
    },
  }
}

/** Empty when all is well; undefined for a router that is none of the dialer's business. */
function problemOf(
  { routers, dialer }: DialersDeps,
  router: RouterRow,
  status: DialState['status'] | undefined,
): string | undefined {
  if (router.disabled) return status && stray('is disabled', status)
  if (dialledAddresses(router, dialer.options.groups).length === 0) {
    return status && stray('listens for no controller of these groups', status)
  }
  const isWaiting = status === 'NeedsDial' || status === 'Dialing'
  if (routers.isOnline(router.id)) return isWaiting ? `connected, but its dial state is ${status}` : ''
  if (router.fingerprint === null) return 'not connected: it has not enrolled'
  if (status === undefined) return 'not connected and not being dialed'
  return `not connected, dial state is ${status}`
}

function stray(why: string, status: DialStatus): string {
  return `router ${why}, but has the dial state ${status}`
}

function result(componentId: string, componentName: string, problem: string): DialerResult {
  const errors = problem === '' ? [] : [problem]
  return { componentId, componentName, validateSuccess: errors.length === 0, errors }
}
