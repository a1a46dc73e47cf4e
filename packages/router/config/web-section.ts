import {
  type Draft,
  type Findings,
  listOf,
  optional,
  required,
  section,
  subsection,
  text,
  type ValueOf,
  variants,
} from '@weft/model/config-file'
import {
  bindPoint,
  checkTlsVersions,
  checkUnderlays,
  identitySection,
  metricsApiSection,
  type TakenInterface,
  webOptionsSection,
} from '@weft/model/config-sections'

/** The APIs that a router's server can carry. */
const apiVariants = {
  'health-checks': section({
    keys: {
      options: subsection(section({ keys: {} }), 'None. The status is always 200; what is wrong is in `data.healthy`.'),
    },
  }),
  metrics: section({ keys: { options: subsection(metricsApiSection, "Weft's own. Who may read, and how.") } }),
}

/** One web server: where it listens and what it serves. */
export const webServerSection = section({
  keys: {
    name: required(text(), 'A name for logs.'),
    bindPoints: required(listOf(bindPoint, { atLeast: 1 }), 'Where it listens.'),
    identity: optional(identitySection, 'Certificates of its own; the top-level `identity` when absent.'),
    options: subsection(webOptionsSection, 'Timeouts and TLS versions.'),
    apis: required(
      listOf(variants('binding', apiVariants), { atLeast: 1 }),
      'What it serves, first match first; what no one matches, the last serves.',
    ),
  },
})

/** What must hold within and between the servers, as far as they could be read. */
export function checkWebServers(
  servers: readonly Draft<ValueOf<typeof webServerSection.keys>>[],
  findings: Findings,
): void {
  const taken: TakenInterface[] = []
  for (const server of servers) {
    checkTlsVersions(server.options, findings)
    checkUnderlays(server.bindPoints ?? [], server.name ?? 'another server', taken, findings)
  }
}
