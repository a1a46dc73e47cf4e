/** A router: one node of the mesh, and where clients enter it. */

export { type AgentAddress, defaultAgentPath, parseAgentAddress } from './agent/agent-socket.ts'
export {
  type ControllerEndpoint,
  findFirstControllers,
  type KnownController,
  readEndpointsFile,
  unknownAt,
  writeEndpointsFile,
} from './config/endpoints-file.ts'
export { type LoadedRouterConfig, loadRouterConfig } from './config/load-router-config.ts'
export { routerConfigPage } from './config/reference-page.ts'
export type { CsrConfig, RouterConfig } from './config/router-config.ts'
export { type NewRouter, writeRouterConfig } from './config/write-router-config.ts'
export {
  type EnrollConfiguredOptions,
  type EnrolledConfiguredRouter,
  enrollConfiguredRouter,
} from './enroll/enroll-configured-router.ts'
export { IdentityFileError, type IdentityFileErrorCode, identityFileErrors } from './enroll/identity-files.ts'
export { activityText } from './profile/process-facts.ts'
export { Router } from './router.ts'
export { type RouterDeps, type RouterOptions, StartupTimeoutError } from './router-options.ts'
