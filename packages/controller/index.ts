/** What the command line needs of the controller. */

export { createDefaultAdmin, type DefaultAdmin, defaultAdminUsername, hasDefaultAdmin } from './bootstrap.ts'
export { systemClock } from './clock.ts'
export type { ControllerConfig } from './config/controller-config.ts'
export { loadControllerConfig } from './config/load-controller-config.ts'
export { controllerConfigPage } from './config/reference-page.ts'
export { Controller, openCore } from './controller.ts'
export { isLogLevel, type LogLevel } from './log/log-level.ts'
export { createLogger, type LogFormat, type RootLogger } from './log/logger.ts'
export { standardStream } from './log/standard-stream.ts'
export { apiErrors } from './operation/api-error.ts'
export { IdentityError, runOptions } from './run-options.ts'
export { restoreSnapshot } from './store/sqlite/restore.ts'
