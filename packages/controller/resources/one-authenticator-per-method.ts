/** An identity has at most one password and one certificate. */
import { ApiError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'

export function refuseSecondAuthenticator(change: Change, identityId: string, method: string): void {
  for (const other of change.view.find('authenticators', 'identityId', identityId)) {
    if (other.method === method) throw new ApiError('MAX_AUTHENTICATOR_METHODS_REACHED')
  }
}
