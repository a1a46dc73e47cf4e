/** Whether routers host the terminators of their SDKs, or of their own tunneler, that are stored, and no others. */
import type { ManagementMessageInit } from '@weft/wire/messages'
import { inspectJson } from '../inspection/inspect-router.ts'
import { ANSWER_LIMIT, ofRouters, type RouterRow, type Validation, type ValidationDeps } from './validation.ts'

export type HostedResult = ManagementMessageInit<'sdkTerminatorsResult'>['body']
type HostedDetail = NonNullable<HostedResult['details']>[number]

/** Who hosts: which value routers are asked for, and the binding of what is stored. */
export const hosts = {
  sdk: { value: 'sdk-terminators', binding: 'edge' },
  tunneler: { value: 'ert-terminators', binding: 'tunnel' },
} as const

interface InspectedTerminator {
  readonly id: string
  readonly state: string
  readonly operationActive?: boolean
  readonly createTime?: string
  readonly lastAttempt?: string
}

export function validateHosted(
  deps: ValidationDeps,
  filter: string,
  host: keyof typeof hosts,
): Promise<Validation<HostedResult>> {
  const { value, binding } = hosts[host]
  return ofRouters<HostedResult>(deps, filter, {
    async connected(router, connection, signal) {
      const answer = await inspectJson(connection, value, { timeoutMilliseconds: ANSWER_LIMIT, signal })
      const { entries, errors } = answer as {
        entries?: readonly InspectedTerminator[] | null
        errors?: string[] | null
      }
      if (errors?.length) throw new Error(errors.join(','))
      const details = [...compared(deps, router.id, binding, entries ?? [])]
      return { ...head(router), validateSuccess: true, details }
    },
    failed: (router, { message }) => ({ ...head(router), validateSuccess: false, message }),
  })
}

function head({ id: routerId, name: routerName }: RouterRow) {
  return { routerId, routerName }
}

function* compared(
  { view }: ValidationDeps,
  routerId: string,
  binding: string,
  entries: readonly InspectedTerminator[],
): Generator<HostedDetail> {
  const unseen = new Set<string>()
  for (const row of view.find('terminators', 'routerId', routerId)) if (row.binding === binding) unseen.add(row.id)
  for (const { id: terminatorId, state: routerState, operationActive, createTime, lastAttempt } of entries) {
    const isStored = unseen.delete(terminatorId)
    yield {
      terminatorId,
      ctrlState: isStored ? 'Valid' : 'Unknown',
      routerState,
      isValid: isStored && routerState === 'established',
      operationActive: operationActive ?? false,
      createTime: createTime ?? '',
      lastAttempt: lastAttempt ?? '',
    }
  }
  for (const terminatorId of unseen) {
    yield { terminatorId, ctrlState: 'Valid', routerState: 'unknown', isValid: false }
  }
}
