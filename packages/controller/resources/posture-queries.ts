/**
 * Posture queries: which checks stand before a service, policy by policy, and how they stand for the viewer.
 */
import { type AccessPolicy, policyMembers } from '@weft/model'
import { accessView } from '../policies/access-view.ts'
import type { Rendering } from '../resource-kit/resource.ts'
import type { View } from '../state/view.ts'
import type { PostureCheck } from './posture-checks.ts'
import type { PostureReports } from './posture-reports.ts'

type Process = Pick<PostureCheck['processes'][number], 'osType' | 'path'>

/** Where nothing is timed. */
const UNLIMITED = -1

export function policyQueries(policy: AccessPolicy, identityId: string, posture: PostureReports, rendering: Rendering) {
  const { view, caller, now } = rendering
  const sessionId = identityId === caller.identityId ? caller.sessionId : undefined
  const postureQueries = checksOf(view, policy).map((check) => {
    const standing = posture.standing(check, identityId, sessionId)
    return {
      id: check.id,
      createdAt: check.createdAt,
      updatedAt: standing.changedAt ?? check.updatedAt,
      tags: check.tags,
      _links: { self: { href: `./posture-checks/${check.id}` } },
      queryType: check.typeId,
      isPassing: standing.isPassing,
      ...timing(check, standing.remaining, now),
      ...(check.typeId === 'MFA' && check.promptOnWake && { promptOnWake: true }),
      ...(check.typeId === 'MFA' && check.promptOnUnlock && { promptOnUnlock: true }),
      ...(check.typeId === 'PROCESS' && check.process && { process: located(check.process) }),
      processes: check.typeId === 'PROCESS_MULTI' ? check.processes.map(located) : null,
    }
  })
  const isPassing = postureQueries.every((query) => query.isPassing)
  return { policyId: policy.id, policyType: policy.type, isPassing, postureQueries }
}

/** What stands in place of policies where there are no checks to speak of. */
export function noQueries(permission: string) {
  const policyId = `dummy ${permission.toLowerCase()} policy: no posture checks defined`
  return { policyId, policyType: permission, isPassing: true, postureQueries: [] }
}

/** The checks that stand before what a policy grants, by id. */
export function checksOf(view: View, policy: AccessPolicy): readonly PostureCheck[] {
  const ids = [...policyMembers(accessView(view), policy, 'postureChecks')].sort()
  return ids.map((id) => view.get('postureChecks', id)!)
}

/** Only MFA is timed: by the check itself, or because the endpoint woke or was unlocked. */
function timing({ typeId, timeoutSeconds }: PostureCheck, remaining: number, now: string) {
  const timeout = typeId === 'MFA' && timeoutSeconds > 0 ? timeoutSeconds : UNLIMITED
  if (typeId !== 'MFA' || remaining < 0) return { timeout, timeoutRemaining: UNLIMITED }
  const timeoutAt = new Date(Date.parse(now) + remaining * 1000).toISOString()
  return { timeout, timeoutRemaining: remaining, timeoutAt }
}

function located({ osType, path }: Process): Process {
  return { osType, path }
}
