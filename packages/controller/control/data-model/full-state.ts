/**
 * The whole state as a list of events, in the order in which a router can take it in. Written one by one, because the
 * state of a large network is megabytes.
 */

import type { TableName } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import { modelOrder } from './change-sets.ts'
import type { DataEventInit } from './data-event.ts'
import { describe } from './entities.ts'
import { allMembers } from './membership.ts'

/** Up to the configs, which differ between routers, and what follows after them. */
export interface FullState {
  readonly configTypes: () => Generator<DataEventInit>
  readonly rest: () => Generator<DataEventInit>
}

export function fullState(view: View, publicKeys: () => Iterable<DataEventInit>): FullState {
  return {
    configTypes: () => created(view, 'configTypes'),
    *rest() {
      for (const table of modelOrder) {
        if (table === 'configTypes' || table === 'configs' || table === 'servicePolicies') continue
        yield* created(view, table)
      }
      for (const policy of view.rows('servicePolicies')) {
        yield { action: 'Create', model: describe('servicePolicies', policy) }
        yield* allMembers(view, policy.id)
      }
      yield* publicKeys()
      yield* created(view, 'revocations')
    },
  }
}

/** The configs that a router gets: those for services and, of those for routers, its own. Nobody's are all. */
export function* configsFor(view: View, routerId: string | undefined): Generator<DataEventInit> {
  const own = routerId === undefined ? undefined : new Set(view.get('routers', routerId)?.configs)
  for (const config of view.rows('configs')) {
    if (own?.has(config.id) === false && isForRouters(view, config.configTypeId)) continue
    yield { action: 'Create', model: describe('configs', config) }
  }
}

/** Configs of such a type go to the routers that have them and to no other. */
export function isForRouters(view: View, configTypeId: string): boolean {
  return view.get('configTypes', configTypeId)?.target === 'router'
}

function* created<T extends TableName>(view: View, table: T): Generator<DataEventInit> {
  for (const row of view.rows(table)) {
    const entity = describe(table, row)
    if (entity !== undefined) yield { action: 'Create', model: entity }
  }
}
