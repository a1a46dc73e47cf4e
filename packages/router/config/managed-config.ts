/**
 * Settings that come from controllers: which of them the file lets in, and the one there is, `router.link.v1`. What is
 * said of a wrong one is what is said of a wrong file, with the places in its text.
 */
import { networkInterfaces } from 'node:os'
import { loadConfigFile, oneOf, type Problem, section, withDefault } from '@weft/model/config-file'
import { assembleLink, type LinkConfig } from './link-config.ts'
import { linkSection } from './link-section.ts'
import type { Interfaces } from './local-binding.ts'

/** Whether `managedConfig.allow` lets a config type in: by `all`, by its name, or by its name without the version. */
export function isManagedConfigAllowed(allow: readonly string[], configType: string): boolean {
  const base = configType.replace(/\.v[0-9]+$/u, '')
  return allow.some((entry) => entry === 'all' || entry === configType || entry === base)
}

/** What becomes of links that new settings would not have made. */
export type LinkCleanup = 'preserve' | 'orphaned' | 'changed'

export interface ManagedLink {
  readonly link: LinkConfig
  readonly cleanup: LinkCleanup
  readonly warnings: readonly Problem[]
}

const managedLinkSection = section({
  keys: {
    ...linkSection.keys,
    cleanup: withDefault(
      oneOf(['preserve', 'orphaned', 'changed']),
      'preserve',
      'Whether links go that no dialer or listener would make now, or would make otherwise.',
      { name: 'gcMode' },
    ),
  },
})

/** Reads the data of a `router.link.v1`. Throws a ConfigError with every problem. */
export function readManagedLink(json: string, interfaces: Interfaces = networkInterfaces()): ManagedLink {
  const { config, warnings } = loadConfigFile(
    {
      schema: managedLinkSection,
      assemble: ({ cleanup, ...link }, findings) => ({ cleanup, link: assembleLink(link, interfaces, findings) }),
    },
    // JSON is YAML too.
    { fileName: 'router.link.v1', text: json },
    {},
  )
  return { ...config, warnings }
}
