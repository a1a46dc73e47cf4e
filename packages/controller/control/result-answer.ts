/** Answers a request by its result, as messages do that have no answer of their own. */
import type { Message } from '@weft/wire'
import { resultErrorRateLimited } from '@weft/wire/messages'
import type { ControlConnection } from './control-connection.ts'
import { refusalOf } from './edge/edge-refusal.ts'

export async function answerWithResult(
  from: ControlConnection,
  frame: Message,
  run: () => Promise<string>,
): Promise<void> {
  try {
    from.reply(frame, 'result', { success: true, body: await run() })
  } catch (error) {
    const { isBusy, message } = refusalOf(error)
    const errorCode = isBusy ? { errorCode: resultErrorRateLimited } : {}
    from.reply(frame, 'result', { success: false, ...errorCode, body: message })
  }
}
