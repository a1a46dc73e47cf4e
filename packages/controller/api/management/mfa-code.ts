/** Bodies that hold a one-time code. */
import { shapeContract } from '../../resource-kit/shape-contract.ts'
import { objectShape, required, textShape } from '../../resource-kit/shapes.ts'

const shape = objectShape({ code: required(textShape({ max: 64 })) })

export interface CodeBody {
  readonly code: string
}

export function codeContract(name: string, options: { readonly isRequired?: boolean } = {}) {
  return shapeContract<CodeBody>(name, shape, options)
}
