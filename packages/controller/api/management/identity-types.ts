/** Identity types: what an identity can be. Routers make their own; everything else is `Default`. */

import type { Operation } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { fixedListOperations } from './fixed-list.ts'

export function identityTypeOperations(kit: Kit): Operation[] {
  return fixedListOperations(kit, {
    collection: 'identity-types',
    singular: 'identityType',
    operationIds: { list: 'listIdentityTypes', detail: 'detailIdentityType' },
    entries: [
      { id: 'Default', name: 'Default' },
      { id: 'Router', name: 'Router' },
    ],
  })
}
