/** A router asks what this controller can do. */
import { defineHandler } from '../handler.ts'

const CAPABILITY = 'capability'
const capabilities = ['ziti.fabric', 'ziti.edge']

export const inspectRequest = defineHandler('inspectRequest', ({ message: { body }, frame, from }) => {
  const isAsked = body.requestedValues.some((name) => name.toLowerCase() === CAPABILITY)
  const values = isAsked ? capabilities.map((value) => ({ name: CAPABILITY, value })) : []
  from.reply(frame, 'inspectResponse', { body: { success: true, values } })
})
