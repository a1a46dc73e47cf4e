/**
 * What enrollment requests carry: a JSON object, or a certificate request as it lies in its file. Each method takes the
 * members that it knows.
 */
import type { BodyContract } from '../../operation/operation.ts'
import { shapeContract } from '../../resource-kit/shape-contract.ts'
import { type MembersOf, objectShape, optional, secretShape, textShape } from '../../resource-kit/shapes.ts'
import { usernameLimits } from '../../resources/authenticator-actions.ts'

const members = {
  token: optional(textShape({ max: 100 })),
  /** Of an identity; at the path of its own of a router too. */
  clientCsr: optional(textShape()),
  /** Of a router, which has two. The peers do not read the second under any other name, so neither do we. */
  certCsr: optional(textShape()),
  serverCertCsr: optional(textShape()),
  /** The same, as the path of its own for edge routers calls it. */
  serverCsr: optional(textShape()),
  name: optional(textShape({ max: 4_096 })),
  username: optional(textShape(usernameLimits)),
  password: optional(secretShape({ min: 5, max: 100 })),
}

export type EnrollmentBody = Partial<MembersOf<typeof members>>

const shape = objectShape(members)

export function enrollmentContract(name: string, options: { readonly isRequired: boolean }): BodyContract {
  return shapeContract(name, shape, options)
}

const json = enrollmentContract('body', { isRequired: false })

/** Of the endpoint that takes the method as a parameter. */
export const genericContract: BodyContract = {
  ...json,
  alsoConsumes: ['application/pkcs7', 'application/x-pem-file', 'text/plain'],
  decode: (body): EnrollmentBody =>
    typeof body === 'string' ? { clientCsr: body } : (json.decode(body) as EnrollmentBody),
}
