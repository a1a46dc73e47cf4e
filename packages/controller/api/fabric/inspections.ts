/**
 * Inspections: what the controller and its routers say of their inside, for support and for the tools that validate a
 * network. Nothing is wrapped in an envelope, as the tools expect it.
 */
import type { InspectedValue, Inspector } from '../../control/inspection/inspector.ts'
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import { requestContract } from '../../resource-kit/body-contracts.ts'
import { defineFields, listOf, text } from '../../resource-kit/fields.ts'
import { textShape } from '../../resource-kit/shapes.ts'
import { type InspectedMetricsDeps, inspectedMetrics } from './inspected-metrics.ts'

export interface InspectionDeps extends InspectedMetricsDeps {
  readonly inspector: Pick<Inspector, 'inspect'>
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

export function inspectionOperations(
  deps: InspectionDeps,
  { controllerId }: { readonly controllerId: string },
): Operation[] {
  const shown = ({ appId, name, value }: InspectedValue) => {
    const json = parsed(value)
    return { appId, name, value: inspectedMetrics(deps, controllerId, { appId, name, json }) ?? json }
  }
  return [
    {
      operationId: 'inspect',
      method: 'POST',
      path: '/inspections',
      access: { entity: 'ops', action: 'read', isBeyondReadonly: true },
      body: requestContract('inspection', fields),
      async handle({ body }: Call<Request>): Promise<Answer> {
        const { success, errors, values } = await deps.inspector.inspect(body.appRegex, body.requestedValues)
        return {
          status: 200,
          body: { success, errors: nullWhenEmpty(errors), values: nullWhenEmpty(values.map(shown)) },
        }
      },
    },
  ]
}

/** JSON where it is, otherwise text. */
function parsed(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

function nullWhenEmpty<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list
}
