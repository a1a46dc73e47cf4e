/** A router asks where the controllers are. The answer names no request. */
import { defineHandler } from '../handler.ts'

export const requestClusterMembers = defineHandler('requestClusterMembers', ({ from }, { tellAddresses }) => {
  tellAddresses(from)
})
