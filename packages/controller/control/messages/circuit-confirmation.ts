/** Circuits that have been idle on a router, which asks whether they still exist. */
import { defineHandler } from '../handler.ts'

const NANOSECONDS = 1_000_000n

export const circuitConfirmation = defineHandler('circuitConfirmation', ({ message: { body }, from }, { fabric }) => {
  const idle = body.circuitIds.map((circuitId) => {
    const nanoseconds = body.idleTimes.get(circuitId)
    return { circuitId, idle: nanoseconds === undefined ? undefined : Number(nanoseconds / NANOSECONDS) }
  })
  fabric.reports.idle(from, idle)
})
