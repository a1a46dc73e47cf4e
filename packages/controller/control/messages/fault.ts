/** Something that a router carried has ended or cannot be carried: a link, an end of a circuit, bytes without a way. */
import { defineHandler } from '../handler.ts'

/** Ids in one message of forward faults; the rest is reported again. */
const MOST_IDS = 10_000

export const fault = defineHandler('fault', ({ message: { body }, from }, { fabric }) => {
  const { subject, id, iteration } = body
  const { reports, state } = fabric
  switch (subject) {
    case 'IngressFault':
    case 'EgressFault':
      return reports.ended(from, id)
    case 'ForwardFault':
    case 'UnknownOwnerForwardFault':
      return reports.notForwarded(from, circuitIds(id), { isOwnerKnown: subject === 'ForwardFault' })
    case 'LinkFault':
    case 'LinkDuplicate':
      return state.links.fault(from, { linkId: id, iteration, isDuplicate: subject === 'LinkDuplicate' })
  }
})

function circuitIds(joined: string): readonly string[] {
  return joined.split(' ', MOST_IDS).filter((id) => id !== '')
}
