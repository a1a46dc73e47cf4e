import type { JsonObject } from '../json-schema/json-value.ts'

/** What a config of a type can be attached to. */
export type ConfigTarget = 'service' | 'router' | 'other'

/** A config type every controller has from its first start. SDKs and tunnelers look it up by name; the id is fixed. */
export interface BuiltInConfigType {
  readonly id: string
  readonly name: string
  readonly target: ConfigTarget
  readonly schema: JsonObject
}
