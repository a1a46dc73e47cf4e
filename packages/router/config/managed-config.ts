/**
 * Settings that come from controllers: which of them the file lets in, and the one there is, `router.link.v1`. What is
 * said of a wrong one is what is said of a wrong file, with the places in its text.
 */
import { networkInterfaces } from 'node:os'
import { loadConfigFile, oneOf, section, withDefault } from '@weft/model/config-file'
import { assembleLink, type LinkConfig } from './link-config.ts'
import { linkSection } from './link-section.ts'
import type { Interfaces } from './local-binding.ts'

/** The config type that sets links. */
export const managedLinkType = 'router.link.v1'

/** Whether `managedConfig.allow` lets a config type in: by `all`, by its name, or by its name without the version. */
export function isManagedConfigAllowed(allow: readonly string[], configType: string): boolean {
  const base = configType.replace(/\.v[0-9]+$/u, '')
  return allow.some((entry) => entry === 'all' || entry === configType || entry === base)
}

const managedLinkSection = section({
  keys: {
    ...linkSection.keys,
    cleanup: withDefault(
      oneOf(['preserve', 'orphaned', 'changed']),
      'changed',
      'Accepted: links that no dialer or listener would make now end, and others are made.',
      { name: 'gcMode' },
    ),
  },
})

/** Reads the data of a `router.link.v1`. Throws a ConfigError with every problem. */
export function readManagedLink(json: string, interfaces: Interfaces = networkInterfaces()): LinkConfig {
  const { config } = loadConfigFile(
    {
      schema: managedLinkSection,
      assemble: ({ cleanup, ...link }, findings) => assembleLink(link, interfaces, findings),
    },
    // JSON is YAML too.
    { fileName: managedLinkType, text: json },
    {},
  )
  return config
}
