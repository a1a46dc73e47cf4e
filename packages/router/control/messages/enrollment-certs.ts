/** Renewed certificates, which a controller sends on their own. */
import { defineHandler } from '../handler.ts'

export const enrollmentCerts = defineHandler('enrollmentCerts', async ({ message: { body }, from }, { renewal }) => {
  await renewal.take(from, body)
})
