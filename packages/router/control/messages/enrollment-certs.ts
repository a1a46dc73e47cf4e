/** Renewed certificates, which a controller sends on their own. */
import { defineHandler } from '../handler.ts'

export const enrollmentCerts = defineHandler('enrollmentCerts', ({ message: { body }, from }, { renewals }) => {
  renewals.take(from, body)
})
