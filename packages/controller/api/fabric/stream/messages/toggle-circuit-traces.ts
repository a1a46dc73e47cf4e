/** Turns traces of circuits on or off, by the ids or names of their services and clients. */
import { SearchPattern, SearchPatternError } from '@weft/model'
import type { ManagementMessage } from '@weft/wire/messages'
import { defineStreamHandler, type StreamContext } from '../stream-handler.ts'

/** Of what was there already; further ones are traced as well. */
const MOST_SHOWN = 100

export const toggleCircuitTraces = defineStreamHandler(
  'toggleCircuitTraces',
  async ({ message, frame, stream }, context) => {
    await stream.reply(frame, 'result', toggle(message.body, context))
  },
)

function toggle(
  { enable, serviceRegex, clientRegex }: ManagementMessage<'toggleCircuitTraces'>['body'],
  { circuitTraces }: StreamContext,
): { readonly success: boolean; readonly body: string } {
  try {
    const [service, client] = [new SearchPattern(serviceRegex), new SearchPattern(clientRegex)]
    const changed = circuitTraces.toggle(service, client, enable)
    const state = enable ? 'traced' : 'not traced any more'
    const lines = changed.slice(0, MOST_SHOWN).map((id) => `Circuit ${id}: ${state}\n`)
    return { success: true, body: lines.join('') }
  } catch (error) {
    if (error instanceof SearchPatternError) return { success: false, body: error.message }
    throw error
  }
}
