import { type ConfigSource, type Environment, loadConfigFile, type Problem } from '@weft/model/config-file'
import { assembleControllerConfig, type ControllerConfig } from './controller-config.ts'
import { controllerSchema, fileVersion } from './controller-schema.ts'

/**
 * Loads the controller's configuration file. Throws a ConfigError that shows every problem with its place; warnings do
 * not keep the controller from starting.
 */
export function loadControllerConfig(
  source: ConfigSource,
  environment: Environment,
): { readonly config: ControllerConfig; readonly warnings: readonly Problem[] } {
  const spec = { schema: controllerSchema, version: fileVersion, assemble: assembleControllerConfig }
  return loadConfigFile(spec, source, environment)
}
