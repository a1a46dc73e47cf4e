/** A 1.x router that is a tunneler asks for an API session of its identity, and says what machine it runs on. */
import { keepClientInfo } from '../../auth/open-session.ts'
import { replyRefusal } from '../edge/edge-refusal.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

const MOST_CONFIG_TYPES = 1_000

export const createApiSession = defineHandler(
  'createApiSession',
  async ({ message: { body }, frame, from }, { kit, tunnelerSessions }) => {
    try {
      const configTypes = body.configTypes.slice(0, MOST_CONFIG_TYPES)
      const apiSession = await tunnelerSessions.apiSession(from, configTypes.length === 0 ? ['all'] : configTypes)
      const info = { configTypes, sdkInfo: said(body.sdkInfo), envInfo: said(body.envInfo) }
      await writeFromRouter({ kit, from, method: 'tunnel.create.api_session' }, (change) => {
        const { identityId } = apiSession
        if (change.view.get('identities', identityId) !== undefined) keepClientInfo(change, identityId, info)
      })
      from.reply(frame, 'createApiSessionResponse', { body: tunnelerSessions.tell(from, apiSession) })
    } catch (error) {
      replyRefusal(from, frame, error)
    }
  },
)

const LONGEST_VALUE = 4_096

/** Without what is empty; undefined when nothing is left. */
function said(info: Readonly<Record<string, string>> | undefined): Readonly<Record<string, string>> | undefined {
  const told = Object.entries(info ?? {}).filter(([, value]) => value !== '' && value.length <= LONGEST_VALUE)
  return told.length === 0 ? undefined : Object.fromEntries(told)
}
