import { networkInterfaces } from 'node:os'
import { type ConfigSource, type Environment, loadConfigFile, type Problem } from '@weft/model/config-file'
import type { Interfaces } from './local-binding.ts'
import { assembleRouterConfig, type RouterConfig } from './router-config.ts'
import { fileVersion, routerSchema } from './router-schema.ts'

export interface LoadedRouterConfig {
  readonly config: RouterConfig
  readonly warnings: readonly Problem[]
}

/**
 * Loads the router's configuration file. Throws a ConfigError that shows every problem with its place; warnings do not
 * keep the router from starting.
 */
export function loadRouterConfig(
  source: ConfigSource,
  environment: Environment,
  interfaces: Interfaces = networkInterfaces(),
): LoadedRouterConfig {
  const fileName = typeof source === 'string' ? source : source.fileName
  return loadConfigFile(
    {
      schema: routerSchema,
      version: fileVersion,
      assemble: (file, findings) => assembleRouterConfig(file, findings, { fileName, interfaces }),
    },
    source,
    environment,
  )
}
