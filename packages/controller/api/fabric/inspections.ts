/**
 * Inspections: what the controller and its routers say of their inside, for support and for the tools that validate a
 * network. Nothing is wrapped in an envelope, as the tools expect it.
 */
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import { requestContract } from '../../resource-kit/body-contracts.ts'
import { defineFields, listOf, text } from '../../resource-kit/fields.ts'
import { textShape } from '../../resource-kit/shapes.ts'

export interface Inspected {
  readonly appId: string
  readonly name: string
  /** JSON where it can be, otherwise text. */
  readonly value: unknown
}

export interface InspectionResult {
  readonly success: boolean
  readonly errors: readonly string[]
  readonly values: readonly Inspected[]
}

export interface Inspections {
  /** Asks those whose id matches; what nobody knows is left out. */
  inspect(appRegex: string, requestedValues: readonly string[]): Promise<InspectionResult>
}

export interface InspectionDeps {
  readonly inspections: Inspections
}

const LONGEST = 4_096
const MOST_VALUES = 100

const fields = defineFields({
  appRegex: text({ max: LONGEST, required: 'on create' }),
  requestedValues: listOf(textShape({ max: LONGEST }), { max: MOST_VALUES, required: 'on create' }),
})

interface Request {
  readonly appRegex: string
  readonly requestedValues: readonly string[]
}

export function inspectionOperations({ inspections }: InspectionDeps): Operation[] {
  return [
    {
      operationId: 'inspect',
      method: 'POST',
      path: '/inspections',
      access: { entity: 'ops', action: 'read', isBeyondReadonly: true },
      body: requestContract('inspection', fields),
      async handle({ body }: Call<Request>): Promise<Answer> {
        const { success, errors, values } = await inspections.inspect(body.appRegex, body.requestedValues)
        return { status: 200, body: { success, errors: nullWhenEmpty(errors), values: nullWhenEmpty(values) } }
      },
    },
  ]
}

function nullWhenEmpty<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list
}
