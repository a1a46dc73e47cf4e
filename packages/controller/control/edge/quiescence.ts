/**
 * A router that is to be taken out of service: its terminators become the last resort, and what they were before comes back
 * when the router does.
 */
import type { Change } from '../../resource-kit/change.ts'

export function quiesce(change: Change, routerId: string): void {
  for (const { id, precedence } of [...change.view.find('terminators', 'routerId', routerId)]) {
    if (precedence === 'failed') continue
    change.update('terminators', id, { precedence: 'failed', savedPrecedence: precedence })
  }
}

/** What has been given another precedence since keeps it. */
export function dequiesce(change: Change, routerId: string): void {
  for (const { id, precedence, savedPrecedence } of [...change.view.find('terminators', 'routerId', routerId)]) {
    if (!savedPrecedence) continue
    change.update('terminators', id, {
      savedPrecedence: null,
      ...(precedence === 'failed' && { precedence: savedPrecedence }),
    })
  }
}
