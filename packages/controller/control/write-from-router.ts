/**
 * Changes that come over a control channel. The journal and the events about them say who made them: the router, or the
 * identity that has shown it a session.
 */
import type { Change } from '../resource-kit/change.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { ChangeCause } from '../state/writer.ts'
import { endsOf } from './channel-ends.ts'
import type { ControlConnection } from './control-connection.ts'

/** By what message it came, in the peers' words. */
export type ChangeMethod =
  | 'create.terminator'
  | 'update.terminator'
  | 'remove.terminator'
  | 'tunnel.create.api_session'
  | 'tunnel.create.circuit'
  | 'tunnel.create.terminator'
  | 'tunnel.create.terminator.v2'
  | 'tunnel.update.terminator'
  | 'tunnel.remove.terminator'
  | 'fabric.create.terminator'
  | 'fabric.update.terminator'
  | 'fabric.remove.terminator'
  | 'fabric.remove.terminators.batch'
  | 'router.hello'
  | 'router.connect'
  | 'router.interfaces'
  | 'quiesce.router'
  | 'dequiesce.router'
  | 'decommission.router'

export interface ChangeOrigin {
  readonly kit: Kit
  readonly from: Pick<ControlConnection, 'routerId' | 'channel'>
  readonly method: ChangeMethod
  /** For whom the router speaks. */
  readonly identityId?: string
}

export function writeFromRouter<T>(origin: ChangeOrigin, mutate: (change: Change) => T): Promise<T> {
  return origin.kit.writeFor(causeOf(origin), mutate)
}

function causeOf({ kit: { view }, from: { routerId, channel }, method, identityId }: ChangeOrigin): ChangeCause {
  const { localAddr, remoteAddr } = endsOf(channel)
  const author =
    identityId === undefined
      ? { type: 'router', id: routerId, name: view.get('routers', routerId)?.name ?? '' }
      : { type: 'identity', id: identityId, name: view.get('identities', identityId)?.name ?? '' }
  return { author, source: { type: 'ctrl.channel', method, localAddr, remoteAddr } }
}
