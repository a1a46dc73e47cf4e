/**
 * A kit for configuration files in OpenZiti's YAML style: declare sections of typed keys, load a file, get a frozen value
 * or every problem with its place, and have the reference page written from the same declaration.
 */
export type { HostPort, ProtocolAddress } from './address.ts'
export { AddressFault, isLoopbackHost, isSameHostPort, parseHostPort, parseProtocolAddress } from './address.ts'
export type { FreeValue } from './collection-kinds.ts'
export { freeForm, freeSection, listOf, mapOf, oneOrMore } from './collection-kinds.ts'
export type { ConfigErrorCode } from './config-error.ts'
export { ConfigError, configErrors } from './config-error.ts'
export { describeSchema, type PageSpec } from './describe-schema.ts'
export { formatDuration, hour, minute, parseDuration, second } from './duration.ts'
export type { Environment } from './environment.ts'
export { type Kind, type KindParts, Unexpected } from './kind.ts'
export type { ConfigFileSpec, LoadedConfig } from './load-config-file.ts'
export { loadConfigFile } from './load-config-file.ts'
export type { Problem } from './problem.ts'
export { renderProblem, renderProblems } from './problem.ts'
export { type ConfigSource, largestConfigFile } from './read-source.ts'
export {
  custom,
  decimal,
  didYouMean,
  duration,
  exactly,
  flag,
  hostPort,
  integer,
  ipOrCidr,
  oneOf,
  protocolAddress,
  secretText,
  text,
  wholeUnits,
} from './scalar-kinds.ts'
export type { Draft, Findings, Keys, SectionKind, SectionSpec, ValueOf } from './section.ts'
export { optional, required, section, subsection, withDefault } from './section.ts'
export { sectionByKey } from './section-by-key.ts'
export { variants } from './variants.ts'
