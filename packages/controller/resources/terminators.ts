/**
 * Terminators: where services end, an address behind a router.
 *
 * Those that SDKs and tunnelers host come over the control channel; what is made here is hosted by the router itself. The
 * service and the instance a terminator was made for never change.
 */
import type { ShownToken } from '../auth/tokens/token-times.ts'
import { notFound } from '../operation/api-error.ts'
import type { Action } from '../operation/operation.ts'
import type { FilterSymbol } from '../query/symbol.ts'
import {
  defineFields,
  integer,
  isNotEmpty,
  oneOf,
  optionalText,
  type RowOf,
  reference,
  serverSet,
  text,
} from '../resource-kit/fields.ts'
import { defineResource, type Rendering, type Resource } from '../resource-kit/resource.ts'
import { type Shape, WrongTypeError } from '../resource-kit/shapes.ts'
import type { Row } from '../state/row.ts'
import type { View } from '../state/view.ts'
import { refuseSystem } from './policy-kit.ts'

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** Bytes in base64; the value appears in no refusal. */
const base64Shape: Shape<string | null> = {
  read(json, at) {
    if (typeof json !== 'string' || !BASE64.test(json)) throw new WrongTypeError(at, 'base64', '')
    return json
  },
  check() {},
  schema: { type: 'string', format: 'byte' },
}

/** A session for hosting. That of a bearer is in its token alone and has no row. */
export interface HostSession {
  readonly sessionId: string
  readonly apiSessionId: string
  readonly token?: ShownToken
}

export const terminatorFields = defineFields({
  serviceId: reference('services', {
    onTargetDeleted: 'cascade',
    input: 'service',
    required: 'on create',
    setBy: 'creator',
    shownAs: 'service',
    symbol: 'service',
    holds: isNotEmpty,
  }),
  routerId: reference('routers', {
    onTargetDeleted: 'cascade',
    input: 'router',
    required: 'on create and put',
    shownAs: 'router',
    collection: 'transit-routers',
    symbol: 'router',
    holds: isNotEmpty,
  }),
  binding: text({
    max: 4_096,
    required: 'on create and put',
    symbol: true,
    derive: ({ binding, address }) => String(binding) || bindingOf(String(address)),
  }),
  address: text({ max: 4_096, required: 'on create and put', symbol: true, holds: isNotEmpty }),
  instanceId: text({ max: 4_096, input: 'identity', setBy: 'creator', shown: 'never', symbol: true }),
  instanceSecret: {
    ...optionalText({ input: 'identitySecret', setBy: 'creator', shown: 'never', isSecret: true }),
    shape: base64Shape,
  },
  /** What initiators of circuits are told of the host: base64 by number. */
  peerData: serverSet<Readonly<Record<string, string>>>({}, { shown: 'never' }),
  hostId: text({ setBy: 'server', shown: 'never', symbol: true }),
  /** By which session its host came: the terminator ends with it. */
  hostSession: serverSet<HostSession | null>(null, { shown: 'never' }),
  sourceCtrl: text({ setBy: 'server', shown: 'never', symbol: true }),
  cost: integer({ min: 0, max: 65_535 }),
  precedence: oneOf(['default', 'required', 'failed'], {}),
  /** What it was before its router was taken out of service. */
  savedPrecedence: optionalText({ setBy: 'server', shown: 'never' }),
})

export type Terminator = RowOf<typeof terminatorFields>

declare module '../state/row.ts' {
  interface TableRows {
    terminators: Terminator
  }
}

/** What strategies add to a terminator's own cost. */
export interface TerminatorCosts {
  dynamicCost(terminatorId: string): number
}

export function terminators({ terminatorCosts }: { readonly terminatorCosts: TerminatorCosts }): Resource {
  return defineResource({
    collection: 'terminators',
    singular: 'terminator',
    table: 'terminators',
    permission: 'terminator',
    fields: terminatorFields,
    guard(_caller, action, before, body, view) {
      refuseHosted(action, before)
      if (before === undefined) refuseFabricOnly(String(body['serviceId']), view)
    },
    live: {
      identity: ({ instanceId }) => instanceId,
      dynamicCost: ({ id }) => terminatorCosts.dynamicCost(id),
    },
    symbols: terminatorSymbols,
  })
}

/** What a router hosts for an identity is changed over its channel alone; anybody who may can delete it. */
export function refuseHosted(action: Action, before: Row | undefined): void {
  if (action !== 'delete') refuseSystem('terminator', action, before)
}

/** What the fabric alone knows does not exist here. */
function refuseFabricOnly(serviceId: string, view: View): void {
  if (view.get('services', serviceId)?.isFabricOnly) throw notFound('service', serviceId)
}

function bindingOf(address: string): string {
  return address.startsWith('udp:') ? 'udp' : 'transport'
}

function nameOf(
  table: 'services' | 'routers',
  idOf: (terminator: Terminator) => string,
): FilterSymbol<Terminator, Rendering> {
  const value = (terminator: Terminator, { view }: Rendering) => view.get(table, idOf(terminator))?.name ?? null
  return { type: 'string', value, isSortable: false }
}

/** Terminators are looked for by the names of what they join. */
export const terminatorSymbols = {
  'service.name': nameOf('services', ({ serviceId }) => serviceId),
  'router.name': nameOf('routers', ({ routerId }) => routerId),
}
