/** Whether terminators that are stored are hosted, by asking their routers; those that are not can be deleted at once. */
import type { ManagementMessage, ManagementMessageInit, RouterTerminatorState } from '@weft/wire/messages'
import type { Kit } from '../../resource-kit/kit.ts'
import type { TableRows } from '../../state/row.ts'
import type { ControlConnection } from '../control-connection.ts'
import type { TerminatorValidation } from '../terminator-validation.ts'
import { inParallel, type Validation, type ValidationDeps } from './validation.ts'

export type TerminatorResult = ManagementMessageInit<'terminatorResult'>['body']
export type HostResult = ManagementMessageInit<'terminatorHostResult'>['body']
export type TerminatorsRequest = ManagementMessage<'validateTerminators'>['body']
type Terminator = TableRows['terminators']

const EVERY_TERMINATOR = 'true limit none'
const EVERY_HOST = 'not isAdmin limit none'
const MOST_PER_MESSAGE = 50

const stateOf = {
  UnknownBinding: 'InvalidUnknownBinding',
  UnknownTerminator: 'InvalidUnknownTerminator',
  BadState: 'InvalidBadState',
} as const

export interface TerminatorsDeps extends ValidationDeps {
  readonly kit: Kit
  readonly validation: Pick<TerminatorValidation, 'check'>
}

export async function validateTerminators(
  deps: TerminatorsDeps,
  request: TerminatorsRequest,
): Promise<Validation<TerminatorResult> & { hosts(): Promise<readonly HostResult[]> }> {
  const terminators = await deps.select.terminators(request.terminatorsFilter || EVERY_TERMINATOR)
  const batches = batchesOf(terminators)
  return {
    count: terminators.length,
    run: (tell, signal) =>
      inParallel(
        batches,
        async (batch) => {
          for (const result of await validateBatch(deps, batch, request.fixInvalid, signal)) await tell(result)
        },
        signal,
      ),
    hosts: () => hostResults(deps, request, terminators),
  }
}

/** Hosts that do not have as many as were expected. */
async function hostResults(
  { select }: TerminatorsDeps,
  { expectedPerSvcAndHost, expectedPerHost, identitiesFilter }: TerminatorsRequest,
  terminators: readonly Terminator[],
): Promise<readonly HostResult[]> {
  const results: HostResult[] = []
  const wrong = (expected: number, found: number) => `expected ${expected} terminators, but had ${found}`
  if (expectedPerSvcAndHost > 0) {
    for (const [key, { length }] of Map.groupBy(terminators, ({ serviceId, hostId }) => `${serviceId}/${hostId}`)) {
      const [serviceId = '', identityId = ''] = key.split('/')
      if (length !== expectedPerSvcAndHost) {
        results.push({ serviceId, identityId, message: wrong(expectedPerSvcAndHost, length) })
      }
    }
  }
  if (expectedPerHost > 0) {
    const byHost = Map.groupBy(terminators, ({ hostId }) => hostId)
    for (const { id: identityId } of await select.identities(identitiesFilter || EVERY_HOST)) {
      const found = byHost.get(identityId)?.length ?? 0
      if (found !== expectedPerHost) results.push({ identityId, message: wrong(expectedPerHost, found) })
    }
  }
  return results
}

function batchesOf(terminators: readonly Terminator[]): readonly (readonly [Terminator, ...Terminator[]])[] {
  const batches: [Terminator, ...Terminator[]][] = []
  for (const ofRouter of Map.groupBy(terminators, ({ routerId }) => routerId).values()) {
    for (let at = 0; at < ofRouter.length; at += MOST_PER_MESSAGE) {
      batches.push(ofRouter.slice(at, at + MOST_PER_MESSAGE) as [Terminator, ...Terminator[]])
    }
  }
  return batches
}

async function validateBatch(
  deps: TerminatorsDeps,
  batch: readonly [Terminator, ...Terminator[]],
  fixInvalid: boolean,
  signal: AbortSignal,
): Promise<readonly TerminatorResult[]> {
  const connection = deps.routers.get(batch[0].routerId)?.connection as ControlConnection | undefined
  const unknown = (detail: string) =>
    batch.map((row) => ({ ...described(deps, row), state: 'Unknown' as const, detail }))
  if (connection === undefined) return unknown('router off-line')
  try {
    const ids = batch.map(({ id }) => id)
    const states = await deps.validation.check(connection, ids, { isFixing: fixInvalid, signal })
    const invalid = batch.filter(({ id }) => states.get(id)?.valid === false)
    const isFixed = fixInvalid && invalid.length > 0 && (await removed(deps.kit, invalid))
    return batch.map((row) => {
      const state = states.get(row.id)
      return { ...described(deps, row), ...shown(state), fixed: isFixed && state?.valid === false }
    })
  } catch (error) {
    return unknown((error as Error).message)
  }
}

function shown(state: RouterTerminatorState | undefined): Pick<TerminatorResult, 'state' | 'detail'> {
  if (state === undefined) return { state: 'Unknown' }
  return {
    state: state.valid ? 'Valid' : (stateOf[state.reason as keyof typeof stateOf] ?? 'Unknown'),
    detail: state.detail,
  }
}

async function removed(kit: Kit, rows: readonly Terminator[]): Promise<boolean> {
  await kit.writeAsController((change) => {
    for (const { id, routerId } of rows) {
      if (change.view.get('terminators', id)?.routerId === routerId) change.remove('terminators', id)
    }
  })
  return true
}

function described({ view }: ValidationDeps, row: Terminator): TerminatorResult {
  const { id: terminatorId, serviceId, routerId, binding, address, hostId, createdAt: createDate } = row
  const serviceName = view.get('services', serviceId)?.name ?? ''
  const routerName = view.get('routers', routerId)?.name ?? ''
  return { terminatorId, serviceId, serviceName, routerId, routerName, binding, address, hostId, createDate }
}
