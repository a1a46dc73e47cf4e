/** An SDK hosts a service at a router. */
import type { ControlConnection } from '../control-connection.ts'
import type { ControlContext } from '../control-context.ts'
import { type ClientSession, sessionOf } from '../edge/client-tokens.ts'
import { EdgeRefusal, refusalOf } from '../edge/edge-refusal.ts'
import { accessedService, checkRouter } from '../edge/router-access.ts'
import { checkTerminator, putTerminator, removeTerminators } from '../edge/terminator-rows.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

export const createTerminatorV2 = defineHandler(
  'createTerminatorV2',
  async ({ message: { body }, frame, from }, context) => {
    const { kit, controllerId: sourceCtrl, validation } = context
    const { address: id, apiSessionToken, sessionToken, fingerprints: _, ...wanted } = body
    const { routerId } = from
    const answer = { terminatorId: id }
    try {
      checkTerminator({ id, cost: wanted.cost })
      const session = hostingSession(context, from, apiSessionToken, sessionToken)
      const { identityId: hostId, serviceId, sessionId, apiSessionId, token } = session
      const hostSession = { sessionId, apiSessionId, ...(token && { token }) }
      const place = { id, binding: 'edge', serviceId, routerId, hostId, sourceCtrl, hostSession }
      await writeFromRouter({ kit, from, method: 'create.terminator', identityId: hostId }, (change) =>
        putTerminator(change, { ...wanted, ...place }),
      )
      try {
        // What has ended while it was being written has not seen the terminator.
        hostingSession(context, from, apiSessionToken, sessionToken)
      } catch (error) {
        await writeFromRouter({ kit, from, method: 'create.terminator', identityId: hostId }, (change) =>
          removeTerminators(change, routerId, [id]),
        )
        throw error
      }
      validation.queue(routerId, id)
      from.reply(frame, 'createTerminatorV2Response', { body: { ...answer, result: 'Success' } })
    } catch (error) {
      const { code: errorCode, hint: retryHint, isBusy, message: msg } = refusalOf(error)
      const result = isBusy ? 'FailedBusy' : 'FailedOther'
      from.reply(frame, 'createTerminatorV2Response', { body: { ...answer, result, msg, errorCode, retryHint } })
    }
  },
)

function hostingSession(
  { kit: { view }, clientTokens }: ControlContext,
  { routerId }: ControlConnection,
  apiSessionToken: string,
  sessionToken: string,
): ClientSession {
  const session = sessionOf({ view, ...clientTokens }, apiSessionToken, sessionToken)
  if (session.type !== 'Bind') throw new EdgeRefusal('wrongSessionType', 'the session is not for hosting')
  const access = { routerId, ...session }
  checkRouter(view, access, 'invalidEdgeRouterForSession')
  accessedService(view, access, 'Bind')
  return session
}
