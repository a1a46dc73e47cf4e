/** What several stock peers said to each other, in order. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Bodies are in protobuf's JSON form; long ones are left out, long texts cut off. */
export interface ConversationMessage {
  readonly from: string
  readonly to: string
  readonly channel: 'ctrl' | 'link' | 'edge'
  readonly contentType: number
  readonly name: string
  readonly sequence: number
  readonly replyFor?: number
  readonly body?: unknown
}

const folder = join(import.meta.dirname, '../../../testdata/wire')

/** The messages without the notes on what happened between them. */
export function recordedConversation(file: string): readonly ConversationMessage[] {
  const { messages } = JSON.parse(readFileSync(join(folder, `${file}.json`), 'utf8')) as {
    messages: readonly ConversationMessage[]
  }
  return messages.filter(({ contentType }) => contentType !== undefined)
}
