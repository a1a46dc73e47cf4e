/**
 * What endpoints report of their posture. It counts at once: sessions that it fails have ended when the answer is given.
 */
import { policiesSelecting, policyMembers } from '@weft/model'
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import { accessView } from '../../policies/access-view.ts'
import type { PostureReport } from '../../posture/posture-report.ts'
import type { PostureStore } from '../../posture/posture-store.ts'
import type { SessionEnforcement } from '../../posture/session-enforcement.ts'
import type { PostureCheck } from '../../resources/posture-checks.ts'
import { checksOf } from '../../resources/posture-queries.ts'
import type { View } from '../../state/view.ts'
import { reportContract, reportsContract } from './posture-body.ts'

export interface PostureResponseDeps {
  readonly view: View
  readonly posture: PostureStore
  readonly enforcement: Pick<SessionEnforcement, 'enforce'>
}

export function postureResponseOperations(deps: PostureResponseDeps): Operation[] {
  const handle = (call: Call<readonly PostureReport[]>) => accept(deps, call)
  return [
    {
      operationId: 'createPostureResponse',
      method: 'POST',
      path: '/posture-response',
      access: 'session',
      status: 201,
      body: reportContract,
      handle,
    },
    {
      operationId: 'createPostureResponseBulk',
      method: 'POST',
      path: '/posture-response-bulk',
      access: 'session',
      status: 201,
      body: reportsContract,
      handle,
    },
  ]
}

async function accept(deps: PostureResponseDeps, call: Call<readonly PostureReport[]>): Promise<Answer> {
  const { posture, enforcement } = deps
  const { identityId, sessionId = '' } = call.caller
  if (call.body.length > 0) {
    posture.accept(identityId, sessionId, call.body)
    await enforcement.enforce(identityId)
  }
  const services = call.body.some(isEvent) ? promptedServices(deps, call) : []
  return { status: 201, body: { data: { services }, meta: {} } }
}

function isEvent(report: PostureReport): boolean {
  return report.typeId === 'ENDPOINT_STATE' && (report.woken === true || report.unlocked === true)
}

interface PromptedService {
  readonly id: string
  readonly name: string
  readonly postureQueryType: 'MFA'
  readonly timeout: number
  readonly timeoutRemaining: number
}

/** The services that ask for a new code because the endpoint woke or was unlocked, while the last one still counts. */
function promptedServices({ view, posture }: PostureResponseDeps, call: Call<readonly PostureReport[]>) {
  const { identityId, sessionId } = call.caller
  const prompted = new Map<string, PromptedService>()
  const access = accessView(view)
  for (const policy of policiesSelecting(access, 'servicePolicies', 'identities', identityId)) {
    for (const check of checksOf(view, policy).filter((one) => isPrompting(one, call.body))) {
      const { isPassing, remaining } = posture.standing(check, identityId, sessionId)
      if (!isPassing || remaining < 0) continue
      const timing = { postureQueryType: 'MFA', timeout: check.timeoutSeconds, timeoutRemaining: remaining } as const
      for (const id of policyMembers(access, policy, 'services')) {
        if ((prompted.get(id)?.timeoutRemaining ?? Number.POSITIVE_INFINITY) <= remaining) continue
        prompted.set(id, { id, name: view.get('services', id)?.name ?? '', ...timing })
      }
    }
  }
  return [...prompted.values()]
}

function isPrompting({ typeId, promptOnWake, promptOnUnlock }: PostureCheck, reports: readonly PostureReport[]) {
  if (typeId !== 'MFA') return false
  return reports.some(
    (report) =>
      report.typeId === 'ENDPOINT_STATE' &&
      ((promptOnWake && report.woken === true) || (promptOnUnlock && report.unlocked === true)),
  )
}
