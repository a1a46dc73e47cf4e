/**
 * The body of an operation that is no create, PUT or PATCH of a resource: one shape, read and checked like those.
 */
import { unparsableBody } from '../operation/api-error.ts'
import type { BodyContract } from '../operation/operation.ts'
import { type JsonSchema, type Shape, WrongTypeError } from './shapes.ts'

export interface ShapeContract<T> extends BodyContract {
  decode(json: unknown): T
  readonly schema: JsonSchema
}

export function shapeContract<T>(
  name: string,
  shape: Shape<T>,
  { isRequired = true }: { readonly isRequired?: boolean } = {},
): ShapeContract<T> {
  return {
    name,
    isRequired,
    decode(json) {
      try {
        const value = shape.read(json, '')
        shape.check(value, '', false)
        return value
      } catch (error) {
        if (error instanceof WrongTypeError) throw unparsableBody(name, error.message)
        throw error
      }
    },
    schema: shape.schema,
  }
}
