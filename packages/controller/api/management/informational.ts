/** What the management API tells of itself and of the network as a whole. */

import type { Operation } from '../../operation/operation.ts'
import { capabilityOperations } from '../informational/capabilities.ts'
import type { ServedSpecs } from '../informational/served-specs.ts'
import { specOperations } from '../informational/specs.ts'
import { type TrustDeps, trustOperations } from '../informational/trust.ts'
import { type VersionDeps, versionOperations } from '../informational/version.ts'
import { type SummaryDeps, summaryOperations } from './summary.ts'

export interface InformationalDeps extends VersionDeps, TrustDeps, SummaryDeps {
  readonly specs: ServedSpecs
}

export function informationalOperations(deps: InformationalDeps): Operation[] {
  return [
    ...versionOperations(deps),
    ...capabilityOperations('session'),
    ...specOperations(deps.specs),
    ...trustOperations(deps),
    ...summaryOperations(deps),
  ]
}
