/** What the client API tells of itself and of the network, most of it to anyone. */
import { answerData } from '../../operation/envelope.ts'
import type { Operation } from '../../operation/operation.ts'
import { capabilityOperations } from '../informational/capabilities.ts'
import type { ServedSpecs } from '../informational/served-specs.ts'
import { specOperations } from '../informational/specs.ts'
import { type TrustDeps, trustOperations } from '../informational/trust.ts'
import { type VersionDeps, versionOperations } from '../informational/version.ts'

export interface ClientInformationalDeps extends VersionDeps, TrustDeps {
  readonly specs: ServedSpecs
  /** Host and port at which clients reach the API. */
  readonly apiAddress: string
}

export function clientInformationalOperations(deps: ClientInformationalDeps): Operation[] {
  return [
    ...versionOperations(deps),
    ...capabilityOperations('partial'),
    ...specOperations(deps.specs),
    ...trustOperations(deps),
    {
      operationId: 'listProtocols',
      method: 'GET',
      path: '/protocols',
      access: 'anyone',
      handle: () => answerData({ https: { address: deps.apiAddress } }),
    },
  ]
}
