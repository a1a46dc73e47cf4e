/** Rows of a collection by a filter, for those who work on them rather than show them. */
import type { Call } from '../operation/operation.ts'
import { compileQuery } from '../query/compile.ts'
import { clausePaging } from '../query/paging.ts'
import { selectInTurns } from '../query/select.ts'
import type { Row } from '../state/row.ts'
import type { Kit } from './kit.ts'
import { symbolsOf } from './symbols.ts'

/** Throws `FilterError`. What the filter does not bound is answered whole. */
export async function selectRows<R extends Row>(
  kit: Kit,
  collection: string,
  filter: string,
  call: Call,
): Promise<readonly R[]> {
  const resource = kit.registry.resource(collection)
  const query = compileQuery(filter, symbolsOf(resource))
  const { table, includes = () => true } = resource
  const all = [...(kit.view.rows(table) as Iterable<Row>)].filter(includes)
  const source = { size: all.length, all: () => all, lookup: () => undefined }
  const context = kit.rendering(call, 'list')
  const { rows } = await selectInTurns(source, query, clausePaging(query), context, () => kit.turns())
  return rows as unknown as readonly R[]
}
