/**
 * Config types: what a config may say, as a JSON schema, and whether services or routers carry it.
 *
 * A schema comes from a user and judges other users' data, so it is compiled when it is written: one that cannot be
 * compiled within bounds is never stored. Changing it does not judge existing configs again.
 */
import { compileSchema, SchemaError } from '@weft/model/json-schema/index.ts'
import { ApiError, fieldError } from '../api/api-error.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, optionalJson, optionalText, type RowOf, text, uniqueName } from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'

const targets = ['service', 'router', 'other'] as const

const fields = defineFields({
  name: uniqueName(),
  schema: optionalJson({ symbol: true, symbolType: 'other', normalise: (schema) => (isEmpty(schema) ? null : schema) }),
  target: text({ oneOf: targets, default: 'service', setBy: 'creator', symbol: true }),
})

export type ConfigType = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    configTypes: ConfigType
  }
}

export const configTypes = defineResource({
  collection: 'config-types',
  singular: 'configType',
  table: 'configTypes',
  permission: 'config-type',
  fields,
  rules: [nameIsNotReserved, schemaCompiles],
  follow: [isUnusedWhenDeleted],
  sublists: {
    configs: {
      of: 'configs',
      ids: (id, view) => view.find('configs', 'configTypeId', id).map((config) => config.id),
      operationId: 'listConfigsForConfigType',
    },
  },
})

function nameIsNotReserved({ name }: ConfigType): void {
  if (name === 'all') throw fieldError('name', 'all is a keyword and may not be used as a config type name', name)
}

function schemaCompiles({ schema }: ConfigType, before: ConfigType | undefined): void {
  if (schema === null || schema === before?.schema) return
  try {
    compileSchema(schema)
  } catch (error) {
    if (error instanceof SchemaError) throw fieldError('schema', `invalid schema ${error.message}`, schema)
    throw error
  }
  if (schema['type'] !== 'object') {
    throw fieldError('schema', 'invalid config type schema, root type must be object', schema)
  }
}

function isUnusedWhenDeleted(change: Change, next: ConfigType | undefined, before: ConfigType | undefined): void {
  if (next !== undefined) return
  for (const config of change.view.find('configs', 'configTypeId', before!.id)) {
    const reason = `cannot delete config type ${before!.id}, as configs of that type exist`
    const cause = { field: 'type', reason, value: config.id }
    throw new ApiError('CAN_NOT_DELETE_REFERENCED_ENTITY', { cause })
  }
}

function isEmpty(schema: Readonly<Record<string, unknown>> | null): boolean {
  return schema === null || Object.keys(schema).length === 0
}
