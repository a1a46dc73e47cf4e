/** Posture check types: what there is to check, for people who choose. Nothing is judged by this list. */
import { builtInPostureCheckTypes } from '@weft/model'
import type { Operation } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { fixedListOperations } from './fixed-list.ts'

export function postureCheckTypeOperations(kit: Kit): Operation[] {
  return fixedListOperations(kit, {
    collection: 'posture-check-types',
    singular: 'postureCheckType',
    operationIds: { list: 'listPostureCheckTypes', detail: 'detailPostureCheckType' },
    entries: builtInPostureCheckTypes,
    listContentType: 'application/json; charset=utf-8',
  })
}
