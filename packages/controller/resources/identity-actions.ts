/**
 * What can be done to an identity besides the usual verbs. The guard of identities stands before each of them.
 */
import { parseDuration } from '@weft/model/config-file'
import { disableIdentity, enableIdentity } from '../auth/disable-identity.ts'
import { fieldError } from '../operation/api-error.ts'
import { answerData, empty } from '../operation/envelope.ts'
import type { Call } from '../operation/operation.ts'
import type { ResourceAction } from '../resource-kit/resource.ts'
import { shapeContract } from '../resource-kit/shape-contract.ts'
import {
  flagShape,
  integerShape,
  listShape,
  objectShape,
  optional,
  required,
  textShape,
} from '../resource-kit/shapes.ts'
import type { TableRows } from '../state/row.ts'
import { policyAdviceAction } from './identity-policy-advice.ts'
import { serviceConfigActions } from './identity-service-configs.ts'
import type { IdentityTracing } from './identity-tracing.ts'
import type { PostureReports } from './posture-reports.ts'
import type { RouterPresence } from './router-presence.ts'

export interface IdentityActionDeps {
  readonly tracing: IdentityTracing
  readonly posture: PostureReports
  readonly routerPresence: RouterPresence
}

type IdentityAction = ResourceAction<TableRows['identities']>

export function identityActions({ tracing, posture, routerPresence }: IdentityActionDeps): readonly IdentityAction[] {
  return [
    enable,
    disable,
    removeMfa,
    trace(tracing),
    ...serviceConfigActions,
    policyAdviceAction(routerPresence),
    {
      method: 'GET',
      path: '/{id}/posture-data',
      operationId: 'getIdentityPostureData',
      needs: 'read',
      run: (call) => answerData(posture.dataOf(call.params['id']!)),
    },
    {
      method: 'GET',
      path: '/{id}/failed-service-requests',
      operationId: 'getIdentityFailedServiceRequests',
      needs: 'read',
      run: (call) => answerData(posture.failedRequestsOf(call.params['id']!)),
    },
  ]
}

const enable: IdentityAction = {
  method: 'POST',
  path: '/{id}/enable',
  operationId: 'enableIdentity',
  needs: 'update',
  async run(_call, kit) {
    await kit.write((change) => enableIdentity(change, kit.row(change.view).id))
    return empty
  },
}

/** A hundred years. */
const LONGEST_LOCKOUT_MINUTES = 52_560_000

const disable: IdentityAction = {
  method: 'POST',
  path: '/{id}/disable',
  operationId: 'disableIdentity',
  needs: 'update',
  body: shapeContract(
    'disable',
    objectShape({ durationMinutes: required(integerShape({ max: LONGEST_LOCKOUT_MINUTES })) }),
  ),
  async run(call: Call<{ readonly durationMinutes: number }>, kit) {
    await kit.write((change) => disableIdentity(change, kit.row(change.view).id, call.body.durationMinutes))
    return empty
  },
}

const removeMfa: IdentityAction = {
  method: 'DELETE',
  path: '/{id}/mfa',
  operationId: 'removeIdentityMfa',
  needs: 'update',
  async run(_call, kit) {
    await kit.write((change) => {
      const identity = kit.row(change.view)
      for (const mfa of [...change.view.find('mfas', 'identityId', identity.id)]) change.remove('mfas', mfa.id)
    })
    return empty
  },
}

const traceShape = objectShape({
  enabled: optional(flagShape, false),
  duration: optional(textShape({ max: 100 }), ''),
  traceId: optional(textShape({ max: 255 }), ''),
  channels: optional(listShape(textShape({ max: 255 }), { max: 100 }), []),
})

interface TraceSpec {
  readonly enabled: boolean
  readonly duration: string
  readonly traceId: string
  readonly channels: readonly string[]
}

/** When a trace that is not running ends. */
const NO_TIME = '0001-01-01T00:00:00.000Z'

function trace(tracing: IdentityTracing): IdentityAction {
  return {
    method: 'PUT',
    path: '/{id}/trace',
    operationId: 'updateIdentityTracing',
    needs: 'update',
    body: shapeContract('traceSpec', traceShape),
    run(call: Call<TraceSpec>, kit) {
      const { id } = kit.row()
      const { enabled, duration: text, traceId, channels } = call.body
      if (!enabled) {
        tracing.stop(id)
        return answerData({ until: NO_TIME }, null)
      }
      const duration = parseDuration(text)
      if (duration === undefined) throw fieldError('duration', `time: invalid duration ${JSON.stringify(text)}`, text)
      const started = tracing.start(id, { duration, traceId, channels })
      return answerData({ enabled: true, traceId: started.traceId, until: started.until }, null)
    },
  }
}
