/**
 * Where the OpenAPI documents are found: among the specs of every API, and of its own at `swagger.json` and `docs`.
 */

import { ApiError } from '../../operation/api-error.ts'
import { answerData } from '../../operation/envelope.ts'
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import { openApiDocument } from '../../resource-kit/openapi.ts'
import type { Registry } from '../../resource-kit/registry.ts'
import { docsOperation } from '../http/docs-page.ts'
import { preferredType } from './preferred-type.ts'
import type { ServedSpecs } from './served-specs.ts'

/** The one that lists name: clients look for it there, and take the others by their ids. */
const listedSpec = 'edge-client'

const yaml = 'text/yaml'
const json = 'application/json'

export function specOperations(specs: ServedSpecs): Operation[] {
  const common = { method: 'GET', access: 'anyone' } as const
  return [
    { ...common, operationId: 'listSpecs', path: '/specs', handle: () => answerData(listed(specs)) },
    {
      ...common,
      operationId: 'detailSpec',
      path: '/specs/{id}',
      handle: (call) => answerData(record(specs, idOf(specs, call))),
    },
    {
      ...common,
      operationId: 'detailSpecBody',
      path: '/specs/{id}/spec',
      produces: [yaml, json],
      handle: (call) => body(specs, call),
    },
  ]
}

export interface DescribedApi {
  /** The name of its specification. */
  readonly id: string
  readonly title: string
  /** Host and port at which clients reach it. */
  readonly address: string
  readonly base: string
  /** The resources among its operations. */
  readonly registry?: Registry
}

/** The operations of an API, together with those that describe it; its document joins the others. */
export function described(specs: ServedSpecs, api: DescribedApi, operations: readonly Operation[]): Operation[] {
  specs.add(api.id, () => openApiDocument(api, operations))
  return [
    ...operations,
    {
      operationId: 'swagger',
      method: 'GET',
      path: '/swagger.json',
      access: 'anyone',
      handle: () => ({ status: 200, body: specs.json(api.id), contentType: json }),
    },
    docsOperation(() => specs.document(api.id)),
  ]
}

function listed(specs: ServedSpecs): readonly unknown[] {
  return specs.has(listedSpec) ? [record(specs, listedSpec)] : []
}

function record({ since }: ServedSpecs, id: string) {
  const self = `./specs/${id}`
  const _links = { self: { href: self }, spec: { href: `${self}/spec` } }
  return { id, name: id, createdAt: since, updatedAt: since, tags: {}, _links }
}

function idOf(specs: ServedSpecs, call: Call): string {
  const id = call.params['id']!
  if (!specs.has(id)) throw new ApiError('NOT_FOUND')
  return id
}

function body(specs: ServedSpecs, call: Call): Answer {
  const id = idOf(specs, call)
  const contentType = preferredType(call.header('accept'), [yaml, json])
  return { status: 200, body: contentType === yaml ? specs.yaml(id) : specs.json(id), contentType }
}
