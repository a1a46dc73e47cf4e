/** Whether routers have the data model that the controller would send them now. */
import type { ManagementMessage, ManagementMessageInit } from '@weft/wire/messages'
import { compareDataModel } from '../data-model/data-model-validation.ts'
import type { RouterDataModel } from '../data-model/router-data-model.ts'
import { ofRouters, type RouterRow, type Validation, type ValidationDeps } from './validation.ts'

export type ComponentResult = ManagementMessageInit<'dataModelResult'>['body']
export type DataModelRequest = ManagementMessage<'validateDataModel'>['body']

export interface DataModelDeps extends ValidationDeps {
  readonly model: Pick<RouterDataModel, 'stateFor'>
  readonly controllerId: string
}

export async function validateDataModel(
  deps: DataModelDeps,
  { routerFilter, validateCtrl, fix }: DataModelRequest,
): Promise<Validation<ComponentResult>> {
  const routers = await ofRouters<ComponentResult>(deps, routerFilter, {
    async connected(router, connection, signal) {
      const { differences } = await compareDataModel(deps.model, connection, { isFixing: fix, signal })
      const errors = differences.map(
        ({ entityType, entityId, diffType, detail }) => `${entityType} id: ${entityId} ${diffType}: ${detail}`,
      )
      return { ...head(router), validateSuccess: errors.length === 0, errors }
    },
    failed: (router, { message }) => ({ ...head(router), validateSuccess: false, errors: [message] }),
  })
  if (!validateCtrl) return routers
  return {
    count: routers.count + 1,
    async run(tell, signal) {
      // The controller has no second copy of the model that could differ: it is made from the rows when it is sent.
      const { controllerId: componentId } = deps
      await tell({ componentType: 'controller', componentId, componentName: componentId, validateSuccess: true })
      await routers.run(tell, signal)
    },
  }
}

function head({ id: componentId, name: componentName }: RouterRow) {
  return { componentType: 'router', componentId, componentName }
}
