/** The router data model, as controllers send it and routers use it. */
export { DataModel, type DataModelOptions, type DataTables, type MemberKind } from './data-model.ts'
export { accessibleServices, grantingServicePolicies, type ServiceUse } from './data-model-access.ts'
export { diffModels, entityCounts } from './data-model-diff.ts'
export { shownModel } from './data-model-shown.ts'
export { stateOf } from './data-model-state.ts'
