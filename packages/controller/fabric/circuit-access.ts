/**
 * Whether what allowed a circuit still stands: its service, its identity, and a policy by which the one may dial the other.
 * Posture is judged where it is reported: sessions end with it, and routers close what depends on it themselves.
 */
import { mayAccess } from '@weft/model'
import { isDisabled } from '../auth/disabled.ts'
import type { Clock } from '../clock.ts'
import { accessView } from '../policies/access-view.ts'
import type { View } from '../state/view.ts'
import type { CircuitOwner } from './circuit.ts'

export interface CircuitPurpose extends Pick<CircuitOwner, 'identityId'> {
  readonly serviceId: string
}

export interface AccessDeps {
  readonly view: View
  readonly clock: Pick<Clock, 'now'>
}

export function isAllowed({ view, clock }: AccessDeps, { identityId, serviceId }: CircuitPurpose): boolean {
  if (view.get('services', serviceId) === undefined) return false
  if (identityId === undefined) return true
  const identity = view.get('identities', identityId)
  if (identity === undefined || isDisabled(identity, clock.now())) return false
  return mayAccess(accessView(view), identityId, serviceId, 'Dial')
}
