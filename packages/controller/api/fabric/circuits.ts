/** The circuits over the fabric: who dialled what, and over which routers and links it runs. */
import { notFound } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import { type Call, listParameters, type Operation } from '../../operation/operation.ts'
import { requestContract } from '../../resource-kit/body-contracts.ts'
import { defineFields, flag } from '../../resource-kit/fields.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { routerReference } from './links.ts'
import { answerLive, liveSymbols } from './live-list.ts'

/** A circuit as operators see it. */
export interface ShownCircuit {
  readonly id: string
  readonly clientId: string
  readonly serviceId: string
  readonly terminatorId: string
  readonly routerIds: readonly string[]
  readonly linkIds: readonly string[]
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Readonly<Record<string, string>>
}

export interface OperatedCircuits {
  all(): Iterable<ShownCircuit>
  get(id: string): ShownCircuit | undefined
  /** Ends it: at once, or when what is under way has arrived. */
  remove(id: string, isImmediate: boolean): void
}

export interface CircuitDeps {
  readonly kit: Kit
  readonly circuits: OperatedCircuits
}

const deletion = { ...requestContract('circuit', defineFields({ immediate: flag() })), isRequired: false }

const symbols = liveSymbols<ShownCircuit>({
  id: ['string', ({ id }) => id],
  clientId: ['string', ({ clientId }) => clientId],
  service: ['string', ({ serviceId }) => serviceId],
  terminator: ['string', ({ terminatorId }) => terminatorId],
  createdAt: ['datetime', ({ createdAt }) => createdAt],
  updatedAt: ['datetime', ({ updatedAt }) => updatedAt],
})

export function circuitOperations({ kit, circuits }: CircuitDeps): Operation[] {
  const find = (id: string): ShownCircuit => {
    const circuit = circuits.get(id)
    if (circuit === undefined) throw notFound('circuit', id)
    return circuit
  }
  const base = { path: '/circuits/{id}' } as const
  return [
    {
      operationId: 'listCircuits',
      method: 'GET',
      path: '/circuits',
      access: { entity: 'ops', action: 'read' },
      parameters: listParameters,
      handle: (call) => answerLive(call, circuits.all(), symbols, (circuit) => record(kit, circuit)),
    },
    {
      ...base,
      operationId: 'detailCircuit',
      method: 'GET',
      access: { entity: 'ops', action: 'read' },
      handle: (call) => answerData(record(kit, find(call.params['id']!))),
    },
    {
      ...base,
      operationId: 'deleteCircuit',
      method: 'DELETE',
      access: { entity: 'ops', action: 'delete' },
      body: deletion,
      handle(call: Call<{ readonly immediate?: boolean } | undefined>) {
        circuits.remove(find(call.params['id']!).id, call.body?.immediate ?? false)
        return empty
      },
    },
  ]
}

function record(kit: Kit, circuit: ShownCircuit) {
  const { id, createdAt, updatedAt, tags, clientId, serviceId, terminatorId, routerIds, linkIds } = circuit
  const self = `./circuits/${id}`
  const links = linkIds.map((link) => ({
    _links: { self: { href: `./links/${link}` } },
    entity: 'links',
    id: link,
    name: link,
  }))
  return {
    _links: {
      self: { href: self },
      services: { href: `${self}/services` },
      terminators: { href: `${self}/terminators` },
    },
    id,
    createdAt,
    updatedAt,
    tags,
    clientId,
    service: reference(kit, 'services', serviceId),
    terminator: { ...reference(kit, 'terminators', terminatorId), name: terminatorId },
    path: {
      nodes: routerIds.map((router) => routerReference(kit, router)),
      // A path over one router has no links, and clients are told so by null.
      links: links.length === 0 ? null : links,
    },
  }
}

function reference(kit: Kit, collection: 'services' | 'terminators', id: string) {
  return (
    kit.reference(collection, id) ?? { _links: { self: { href: `./${collection}/${id}` } }, entity: collection, id }
  )
}
