/** A result for which nobody waits any more. Those that are waited for never come here. */
import { defineHandler } from '../handler.ts'

export const lateRouteResult = defineHandler('routeResult', ({ message, from }, { fabric }) => {
  if (message.success !== undefined) fabric.reports.routedLate(from, message.body, message.attempt)
})
