/**
 * How the policies stand that grant a session its access: each asks for its own checks, and one whose checks all pass is
 * enough.
 */
import { type AccessPolicy, grantingPolicies, type ServiceAccess } from '@weft/model'
import { accessView } from '../policies/access-view.ts'
import type { PostureCheck } from '../resources/posture-checks.ts'
import { checksOf } from '../resources/posture-queries.ts'
import type { PostureReports } from '../resources/posture-reports.ts'
import type { View } from '../state/view.ts'

/** An access that an API session wants, or has. */
export interface WantedAccess {
  readonly identityId: string
  readonly apiSessionId: string
  readonly serviceId: string
  readonly type: ServiceAccess
}

export interface PolicyVerdict {
  readonly policy: AccessPolicy
  /** Those that do not pass. */
  readonly failing: readonly PostureCheck[]
}

/** One for each policy that grants the access; none when no policy does. */
export function policyVerdicts(
  view: View,
  posture: Pick<PostureReports, 'standing'>,
  { identityId, apiSessionId, serviceId, type }: WantedAccess,
): readonly PolicyVerdict[] {
  const policies = [...grantingPolicies(accessView(view), identityId, serviceId, type)]
  const hasChecks = view.size('postureChecks') > 0
  return policies.map((policy) => {
    const checks = hasChecks ? checksOf(view, policy) : []
    const failing = checks.filter((check) => !posture.standing(check, identityId, apiSessionId).isPassing)
    return { policy, failing }
  })
}

/** Whether some policy grants the access and has nothing to object. */
export function isGranted(verdicts: readonly PolicyVerdict[]): boolean {
  return verdicts.some(({ failing }) => failing.length === 0)
}
