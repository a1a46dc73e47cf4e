/** The links between routers. Their cost and whether they are used are the operator's to say; the rest is measured. */
import { notFound } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import { type Call, listParameters, type Operation } from '../../operation/operation.ts'
import { bodyContract } from '../../resource-kit/body-contracts.ts'
import { defineFields, flag, integer } from '../../resource-kit/fields.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { answerLive, liveSymbols } from './live-list.ts'

/** A link as operators see it. Latencies are nanoseconds. */
export interface ShownLink {
  readonly id: string
  readonly protocol: string
  readonly dialAddress: string
  readonly sourceRouterId: string
  readonly destRouterId: string
  readonly state: string
  readonly isDown: boolean
  readonly staticCost: number
  readonly sourceLatency: number
  readonly destLatency: number
  readonly cost: number
  readonly iteration: number
  readonly connections: readonly { readonly type: string; readonly source: string; readonly dest: string }[]
}

export interface OperatedLinks {
  all(): Iterable<ShownLink>
  get(id: string): ShownLink | undefined
  adjust(id: string, settings: { readonly isDown?: boolean; readonly staticCost?: number }): void
  /** Takes it down at both ends; the routers may dial again. */
  remove(id: string): void
}

export interface LinkDeps {
  readonly kit: Kit
  readonly links: OperatedLinks
}

const patchFields = defineFields({ staticCost: integer({ min: 0, max: 2 ** 31 - 1 }), down: flag() })

const symbols = liveSymbols<ShownLink>({
  id: ['string', ({ id }) => id],
  protocol: ['string', ({ protocol }) => protocol],
  dialAddress: ['string', ({ dialAddress }) => dialAddress],
  sourceRouter: ['string', ({ sourceRouterId }) => sourceRouterId],
  destRouter: ['string', ({ destRouterId }) => destRouterId],
  cost: ['int64', ({ cost }) => cost],
  staticCost: ['int64', ({ staticCost }) => staticCost],
  sourceLatency: ['int64', ({ sourceLatency }) => sourceLatency],
  destLatency: ['int64', ({ destLatency }) => destLatency],
  state: ['string', ({ state }) => state],
  iteration: ['int64', ({ iteration }) => iteration],
})

export function linkOperations({ kit, links }: LinkDeps): Operation[] {
  const find = (id: string): ShownLink => {
    const link = links.get(id)
    if (link === undefined) throw notFound('link', id)
    return link
  }
  const record = ({ sourceRouterId, destRouterId, isDown, dialAddress, ...link }: ShownLink) => ({
    ...link,
    down: isDown,
    sourceRouter: routerReference(kit, sourceRouterId),
    destRouter: routerReference(kit, destRouterId),
  })
  const base = { path: '/links/{id}' } as const
  return [
    {
      operationId: 'listLinks',
      method: 'GET',
      path: '/links',
      access: { entity: 'ops', action: 'read' },
      parameters: listParameters,
      handle: (call) => answerLive(call, links.all(), symbols, record),
    },
    {
      ...base,
      operationId: 'detailLink',
      method: 'GET',
      access: { entity: 'ops', action: 'read' },
      handle: (call) => answerData(record(find(call.params['id']!))),
    },
    {
      ...base,
      operationId: 'patchLink',
      method: 'PATCH',
      access: { entity: 'ops', action: 'update' },
      body: bodyContract('link', patchFields, 'patch'),
      handle(call: Call<{ readonly down?: boolean; readonly staticCost?: number }>) {
        const { id } = find(call.params['id']!)
        const { down, staticCost } = call.body
        links.adjust(id, {
          ...(down !== undefined && { isDown: down }),
          ...(staticCost !== undefined && { staticCost }),
        })
        return empty
      },
    },
    {
      ...base,
      operationId: 'deleteLink',
      method: 'DELETE',
      access: { entity: 'ops', action: 'delete' },
      handle(call) {
        links.remove(find(call.params['id']!).id)
        return empty
      },
    },
  ]
}

/** The routers of links and paths may have been deleted a moment ago; then only the id is known. */
export function routerReference(kit: Kit, id: string) {
  return kit.reference('routers', id) ?? { _links: { self: { href: `./routers/${id}` } }, entity: 'routers', id }
}
