import type { ServerResponse } from 'node:http'
import type { Answer } from '../../operation/operation.ts'

/** Tells an answer that wants to know whether it went out, or its client was gone before. */
export function tellWhenTaken(response: ServerResponse, { onEnd }: Answer): void {
  if (onEnd === undefined) return
  if (response.closed) onEnd(false)
  else response.once('close', () => onEnd(response.writableFinished))
}
