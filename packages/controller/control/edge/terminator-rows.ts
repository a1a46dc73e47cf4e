/**
 * Terminators that routers host for others: how they come into being, change and go. A router speaks only of its own.
 */
import { isDeepStrictEqual } from 'node:util'
import type { TerminatorPrecedence } from '@weft/wire/messages'
import type { Change } from '../../resource-kit/change.ts'
import type { HostSession } from '../../resources/terminators.ts'
import type { TableRows } from '../../state/row.ts'
import { EdgeRefusal } from './edge-refusal.ts'

type Terminator = TableRows['terminators']
export type HostedBinding = 'edge' | 'tunnel'

export interface HostedTerminator {
  readonly id: string
  /** Where its router finds it; the id unless said otherwise. */
  readonly address?: string
  readonly binding: string
  readonly serviceId: string
  readonly routerId: string
  readonly hostId: string
  readonly instanceId: string
  readonly instanceSecret: Buffer
  readonly peerData: ReadonlyMap<number, Buffer>
  readonly cost: number
  readonly precedence: TerminatorPrecedence | number
  readonly sourceCtrl: string
  /** Where an SDK hosts it. */
  readonly hostSession?: HostSession
}

const LONGEST_ID = 4_096
const MOST_COST = 65_535

const precedences: Readonly<Record<TerminatorPrecedence, Terminator['precedence']>> = {
  Default: 'default',
  Required: 'required',
  Failed: 'failed',
}

/** One that has no name is of a version to come. */
function precedenceOf(precedence: TerminatorPrecedence | number): Terminator['precedence'] {
  if (typeof precedence === 'number') throw new EdgeRefusal('invalidPrecedence', `there is no precedence ${precedence}`)
  return precedences[precedence]
}

export function checkTerminator({ id, cost }: Pick<HostedTerminator, 'id' | 'cost'>): void {
  if (id === '' || id.length > LONGEST_ID) throw new EdgeRefusal('invalidTerminator', 'the terminator has no address')
  if (cost > MOST_COST) throw new EdgeRefusal('invalidCost', `the cost ${cost} is above ${MOST_COST}`)
}

/** Creates it, or brings it up to date: routers ask again when they are not sure. */
export function putTerminator(change: Change, wanted: HostedTerminator): void {
  const known = change.view.get('terminators', wanted.id)
  const precedence = precedenceOf(wanted.precedence)
  if (known !== undefined) {
    checkSame(known, wanted)
    const { cost, hostSession } = { hostSession: known.hostSession ?? null, ...wanted }
    const isSame = known.cost === cost && known.precedence === precedence
    if (isSame && isDeepStrictEqual(known.hostSession ?? null, hostSession)) return
    change.update('terminators', wanted.id, { cost, precedence, hostSession })
    return
  }
  checkInstance(change, wanted)
  const { id, binding, serviceId, routerId, hostId, instanceId, instanceSecret, cost, sourceCtrl } = wanted
  const { address = id, hostSession = null } = wanted
  const values = {
    binding,
    address,
    serviceId,
    routerId,
    hostId,
    instanceId,
    instanceSecret: instanceSecret.length === 0 ? null : instanceSecret.toString('base64'),
    peerData: Object.fromEntries(wanted.peerData.entries().map(([key, value]) => [key, value.toString('base64')])),
    cost,
    precedence,
    sourceCtrl,
    hostSession,
  }
  // What a router hosts in nobody's name is the operator's to change.
  change.create('terminators', values, { id, isSystem: hostId !== '' })
}

export interface TerminatorUpdate {
  readonly terminatorId: string
  readonly cost: number
  readonly precedence: TerminatorPrecedence | number
  readonly updatePrecedence: boolean
  readonly updateCost: boolean
}

/** Changes a terminator of this router and binding; another one does not exist as far as the router is concerned. */
export function updateTerminator(
  change: Change,
  routerId: string,
  binding: HostedBinding | undefined,
  update: TerminatorUpdate,
): void {
  const { terminatorId, cost, precedence, updatePrecedence, updateCost } = update
  const known = change.view.get('terminators', terminatorId)
  if (known?.routerId !== routerId || (binding !== undefined && known.binding !== binding)) {
    throw new EdgeRefusal('invalidTerminator', `there is no terminator ${terminatorId} here`)
  }
  if (updateCost) checkTerminator({ id: terminatorId, cost })
  change.update('terminators', terminatorId, {
    ...(updateCost && { cost }),
    ...(updatePrecedence && { precedence: precedenceOf(precedence) }),
  })
}

/** Removes those that are the router's own; others are none of its business, and unknown ones are gone already. */
export function removeTerminators(change: Change, routerId: string, ids: Iterable<string>): void {
  for (const id of ids) if (change.view.get('terminators', id)?.routerId === routerId) change.remove('terminators', id)
}

function checkSame(known: Terminator, wanted: HostedTerminator): void {
  const isSame =
    known.binding === wanted.binding &&
    known.serviceId === wanted.serviceId &&
    known.routerId === wanted.routerId &&
    known.hostId === wanted.hostId
  if (!isSame) throw new EdgeRefusal('internal', `terminator ${wanted.id} is another one`, { hint: 3 })
}

/** An instance of a service is one host's: nobody can answer in its name. */
function checkInstance(change: Change, { serviceId, instanceId, hostId }: HostedTerminator): void {
  if (instanceId === '') return
  for (const other of change.view.find('terminators', 'serviceId', serviceId)) {
    if (other.instanceId === instanceId && other.hostId !== hostId) {
      // Programs on the Go SDK look for these words.
      throw new EdgeRefusal('invalidInstanceId', `shared identity ${instanceId} belongs to different identity`)
    }
  }
}
