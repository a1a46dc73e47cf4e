/** The `link` section as a controller may send it: the same keys, without anything of this machine's environment in it. */
import { networkInterfaces } from 'node:os'
import { loadConfigFile, section, subsection } from '@weft/model/config-file'
import { assembleLink, type LinkConfig } from './link-config.ts'
import { linkSection } from './link-section.ts'
import type { Interfaces } from './local-binding.ts'

const schema = section({ keys: { link: subsection(linkSection, 'Links to other routers.') } })

/** Reads the JSON of a config; throws a ConfigError with everything that is wrong. */
export function readManagedLinkConfig(
  typeName: string,
  data: unknown,
  interfaces: Interfaces = networkInterfaces(),
): LinkConfig {
  // JSON is YAML too.
  const source = { fileName: typeName, text: JSON.stringify({ link: data }) }
  const assemble = ({ link }: { readonly link: Parameters<typeof assembleLink>[0] }, findings: Findings) =>
    assembleLink(link, interfaces, findings)
  return loadConfigFile({ schema, assemble }, source, {}).config
}

type Findings = Parameters<typeof assembleLink>[2]
