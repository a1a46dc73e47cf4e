/**
 * The database operations of the fabric: those of the management API, under the fabric's names, and a snapshot whose file
 * the caller names. The file lies beside the database, whatever folder the caller would prefer.
 */
import { answerData, empty } from '../../operation/envelope.ts'
import type { Call, Operation } from '../../operation/operation.ts'
import { requestContract } from '../../resource-kit/body-contracts.ts'
import { defineFields, text } from '../../resource-kit/fields.ts'
import { type DatabaseDeps, databaseOperations, takeSnapshot } from '../management/database.ts'

export type FabricDatabaseDeps = DatabaseDeps

const snapshotFields = defineFields({ path: text({ max: 4_096 }) })

export function fabricDatabaseOperations(deps: FabricDatabaseDeps): Operation[] {
  const shared = databaseOperations(deps).filter(({ path }) => path !== '/database/snapshot')
  return [
    ...shared,
    {
      operationId: 'createDatabaseSnapshot',
      method: 'POST',
      path: '/database',
      access: 'admin',
      async handle() {
        await takeSnapshot(deps.snapshots)
        return empty
      },
    },
    {
      operationId: 'createDatabaseSnapshotWithPath',
      method: 'POST',
      path: '/database/snapshot',
      access: 'admin',
      body: requestContract('snapshot', snapshotFields),
      async handle({ body }: Call<{ readonly path?: string }>) {
        return answerData({ path: await takeSnapshot(deps.snapshots, body.path) })
      },
    },
  ]
}
