/** Whoever reads traces as they come; some kinds of message can be chosen or left out. */
import type { ChannelTrace } from '@weft/wire/messages'
import { defineStreamHandler } from '../stream-handler.ts'

export const streamTraces = defineStreamHandler('streamTraces', async ({ message, frame, stream }, { traces }) => {
  if (!stream.subscribe()) {
    await stream.reply(frame, 'result', { success: false, body: 'too many subscriptions on one stream' })
    return
  }
  const { enabledFilter, filterType, contentTypes } = message.body
  const named = new Set(contentTypes)
  const isWanted = ({ contentType }: ChannelTrace) =>
    !enabledFilter || named.has(contentType) === (filterType === 'INCLUDE')
  const unfollow = traces.follow((trace) => {
    if (isWanted(trace)) stream.offer('trace', { body: trace })
  })
  stream.parts.defer(unfollow)
})
