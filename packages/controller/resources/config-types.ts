/**
 * Config types: what a config may say, as a JSON schema, and whether services or routers carry it.
 *
 * A schema comes from a user and judges other users' data, so it is compiled when it is written: one that cannot be
 * compiled within bounds is never stored. Changing it does not judge existing configs again.
 */
import { compileSchema, SchemaError } from '@weft/model'
import { fieldError } from '../operation/api-error.ts'
import { defineFields, optionalJson, type RowOf, text, uniqueName } from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'
import { isObject, type Shape } from '../resource-kit/shapes.ts'

const targets = ['service', 'router', 'other'] as const

type Schema = Readonly<Record<string, unknown>> | null

/** Of another type than a JSON object, a schema is a wrong value rather than a body that cannot be parsed. */
const schemaShape: Shape<Schema> = {
  read: (json) => json as Schema,
  check(value, at) {
    if (!isObject(value)) throw fieldError(at, `${at} in body must be of type object: ${JSON.stringify(value)}`, value)
  },
  schema: { type: 'object' },
}

const fields = defineFields({
  name: uniqueName(),
  schema: {
    ...optionalJson({ symbol: true, symbolType: 'other', normalise: (schema) => (isEmpty(schema) ? null : schema) }),
    shape: schemaShape,
  },
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

function isEmpty(schema: Readonly<Record<string, unknown>> | null): boolean {
  return schema === null || Object.keys(schema).length === 0
}
