/**
 * Where a router listens for controllers that dial it, as its hello says it. That is kept with the router, so that it can be
 * dialled when it is not there to say it, and shown by the APIs. What it says counts, whatever it was set to before.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Headers } from '@weft/wire'
import { controlHello, MessageError } from '@weft/wire/messages'
import type { ConnectedRouters } from '../fabric/connected-routers.ts'
import type { Logger } from '../log/logger.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { ControlConnection } from './control-connection.ts'
import { writeFromRouter } from './write-from-router.ts'

/** Groups by address. A hello bounds how many there are. */
export type CtrlChanListeners = Readonly<Record<string, readonly string[]>>

/** A hello without some of its headers: what cannot be read in one of them says nothing about the others. */
export function without(
  headers: Headers,
  names: readonly (keyof typeof controlHello.messages.hello.headers)[],
): Headers {
  const rest = headers.clone()
  for (const name of names) rest.delete(controlHello.messages.hello.headers[name].key)
  return rest
}

/** Undefined for what cannot be read. */
export function readCtrlChanListeners(headers: Headers): CtrlChanListeners | undefined {
  try {
    const { listeners = [] } =
      controlHello.decodeHeaders('hello', without(headers, ['listeners'])).ctrlChanListeners ?? {}
    return Object.fromEntries(listeners.map(({ address, groups }) => [address, groups]))
  } catch (error) {
    if (!(error instanceof MessageError)) throw error
    return undefined
  }
}

export interface ListenerKeeperDeps {
  readonly kit: Kit
  readonly routers: Pick<ConnectedRouters, 'isCurrent'>
  readonly log: Logger
}

/** Keeps them where they are not what is kept already. A failure costs the next start of the controller its dial. */
export function keepCtrlChanListeners(
  { kit, routers, log }: ListenerKeeperDeps,
  from: ControlConnection,
  said: CtrlChanListeners,
): void {
  const { routerId: router } = from
  const kept = kit.view.get('routers', router)?.ctrlChanListeners
  if (kept === undefined || isSame(kept, said)) return
  writeFromRouter({ kit, from, method: 'router.connect' }, (change) => {
    // By now it may have connected anew, and said something else.
    if (!routers.isCurrent(from) || change.view.get('routers', router) === undefined) return
    change.update('routers', router, { ctrlChanListeners: said })
  }).catch((err) => log.error('where a router can be dialled is not kept', { router, err }))
}

/** In whatever order. */
function isSame(kept: CtrlChanListeners, said: CtrlChanListeners): boolean {
  const sorted = (listeners: CtrlChanListeners) =>
    new Map(Object.entries(listeners).map(([address, groups]) => [address, new Set(groups)]))
  return isDeepStrictEqual(sorted(kept), sorted(said))
}
