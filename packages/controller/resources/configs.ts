/**
 * Configs: data of a config type, carried by services and routers.
 *
 * Data is judged by its type's schema whenever it is written. Services and routers lose a config that is deleted; one that
 * overrides a service's for an identity cannot be deleted.
 */
import { fieldError } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, json, type RowOf, reference, uniqueName } from '../resource-kit/fields.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import { anythingShape, isObject, type Shape } from '../resource-kit/shapes.ts'
import { CompiledSchemas } from './compiled-schemas.ts'

type Data = Readonly<Record<string, unknown>>

const fields = defineFields({
  name: uniqueName(),
  configTypeId: reference('configTypes', {
    onTargetDeleted: 'refuse',
    required: 'on create',
    setBy: 'creator',
    shownAs: 'configType',
    symbol: 'type',
    missing: (id) => fieldError('type', 'invalid config type', id),
    holds: isNamed,
  }),
  data: { ...json({ required: 'on create and put', holds: isAnObject }), shape: anythingShape as Shape<Data> },
})

export type Config = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    configs: Config
  }
}

export function configs(): Resource {
  const schemas = new CompiledSchemas()
  return defineResource({
    collection: 'configs',
    singular: 'config',
    table: 'configs',
    permission: 'config',
    fields,
    rules: [(next, before, change) => dataFits(schemas, next, before, change)],
    sublists: {
      services: {
        of: 'services',
        ids: (id, view) => view.find('services', 'configs', id).map((service) => service.id),
        operationId: 'listConfigServices',
      },
    },
  })
}

function isNamed(id: string): void {
  if (id === '') throw fieldError('type', 'config type must be specified', id)
}

function isAnObject(data: unknown): void {
  if (!isObject(data)) throw fieldError('data', 'invalid type, expected object', data)
}

function dataFits(schemas: CompiledSchemas, next: Config, before: Config | undefined, { view }: Change): void {
  if (next.data === before?.data) return
  const violation = schemas.schemaOf(view.get('configTypes', next.configTypeId)!)?.validate(next.data)
  if (violation === undefined) return
  throw fieldError(violation.field, `${violation.field} is invalid: ${violation.message}`, violation.value)
}
