/** How many entities of each kind there are. */
import { builtInPostureCheckTypes } from '@weft/model'
import { answerData } from '../../operation/envelope.ts'
import type { Operation } from '../../operation/operation.ts'
import { entityTables } from '../../state/entity-tables.ts'
import type { View } from '../../state/view.ts'

/** Counts of what is no table here: a fixed number of identity types, and parts of the peers' store that ours lacks. */
const fixed = {
  eventualEvents: 0,
  identityTypes: 2,
  postureCheckTypes: builtInPostureCheckTypes.length,
}

export interface SummaryDeps {
  readonly view: View
}

export function summaryOperations({ view }: SummaryDeps): Operation[] {
  return [
    {
      operationId: 'listSummary',
      method: 'GET',
      path: '/summary',
      access: 'admin',
      handle: () => answerData(summary(view), null),
    },
  ]
}

export function summary(view: View): Readonly<Record<string, number>> {
  const counts = Object.fromEntries(entityTables.map((table) => [table, view.size(table)]))
  return { ...counts, 'routers.edge': edgeRouters(view), ...fixed }
}

function edgeRouters(view: View): number {
  let count = 0
  for (const router of view.rows('routers')) if (router.kind === 'edge') count++
  return count
}
