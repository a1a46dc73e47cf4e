/** A dial with a session for the service, in whichever form it was asked for. */
import type { ControlConnection } from '../control-connection.ts'
import type { ControlContext } from '../control-context.ts'
import { sessionOf } from './client-tokens.ts'
import { dialFor, type MadeCircuit } from './dial.ts'
import { EdgeRefusal } from './edge-refusal.ts'
import { accessedService, checkRouter } from './router-access.ts'

export interface SessionDial {
  readonly apiSessionToken?: string | undefined
  readonly sessionToken: string
  readonly terminatorInstanceId?: string | undefined
  readonly peerData?: ReadonlyMap<number, Buffer> | undefined
}

export async function sessionDial(
  context: ControlContext,
  from: ControlConnection,
  { apiSessionToken = '', sessionToken, terminatorInstanceId: instanceId, peerData }: SessionDial,
): Promise<MadeCircuit> {
  const { view } = context.kit
  const session = sessionOf({ view, ...context.clientTokens }, apiSessionToken, sessionToken)
  if (session.type !== 'Dial') throw new EdgeRefusal('wrongSessionType', 'the session is not for dialling')
  const access = { routerId: from.routerId, ...session }
  checkRouter(view, access, 'invalidEdgeRouterForSession')
  accessedService(view, access, 'Dial')
  return await dialFor(context, from, { ...session, clientId: session.sessionId, instanceId, peerData, isNamed: true })
}
