/** Which terminators that a controller has for this router are really here. What is left out is asked for again later. */
import type { RouterTerminatorState } from '@weft/wire/messages'
import { defineHandler } from '../handler.ts'

export const validateTerminatorsV2 = defineHandler(
  'validateTerminatorsV2',
  ({ message: { body }, frame, from }, { terminators }) => {
    const states = new Map<string, RouterTerminatorState>()
    for (const terminator of body.terminators) {
      const valid = terminators.isHosted(terminator)
      if (valid === undefined) continue
      const detail = valid ? '' : 'the terminator is not hosted by this router'
      states.set(terminator.id, { valid, reason: 'UnknownTerminator', detail, marker: terminator.marker })
    }
    return from.reply(frame, 'validateTerminatorsV2Response', { body: { states } })
  },
)
