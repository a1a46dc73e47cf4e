/**
 * Version ranges, as operating system posture checks use them.
 *
 *     >1.0.0 <2.0.0 || 3.0.0     comparisons joined by blanks must all hold; ` || ` separates alternatives
 *     1.2.x   1.x   >=1.x        the last numbers may be wildcards
 *     !=1.4.2   !1.4.x           everything but
 *
 * Operators are `=`, `==`, `!`, `!=`, `<`, `<=`, `>` and `>=`; without one a version means itself. Blanks may stand after
 * an operator. Versions are compared as semver.org says, so `<1.3.0` and therefore `1.2.x` hold for `1.3.0-beta`.
 */
import { compareVersions, parseVersion, type SemanticVersion } from './semantic-version.ts'

const maximumLength = 1_024
const maximumWildcard = 2n ** 62n

/** A parsed range. */
export interface VersionRange {
  /** Whether a version lies in the range. A text that is not a version lies in none. */
  matches(version: string): boolean
}

/** A range, or why a text is none. */
export type ParsedVersionRange =
  | { readonly range: VersionRange; readonly error?: undefined }
  | { readonly range?: undefined; readonly error: string }

type Test = (version: SemanticVersion) => boolean

/** Parses a range. Texts over 1024 characters are refused. */
export function parseVersionRange(text: string): ParsedVersionRange {
  if (text.length > maximumLength) return { error: `Range is longer than ${maximumLength} characters` }
  const alternatives: Test[][] = [[]]
  for (const part of text.replace(/([=<>]) +(?=[0-9])/g, '$1').split(' ')) {
    if (part === '') continue
    if (part === '||') {
      if (alternatives.at(-1)?.length === 0) return { error: "Nothing stands before '||' in the range" }
      alternatives.push([])
      continue
    }
    const comparison = parseComparison(part)
    if (typeof comparison === 'string') return { error: comparison }
    alternatives.at(-1)?.push(comparison)
  }
  if (alternatives.at(-1)?.length === 0) {
    return { error: alternatives.length === 1 ? 'Range is empty' : "Last element in range is '||'" }
  }
  return {
    range: {
      matches(versionText) {
        const version = parseVersion(versionText)
        if (version === undefined) return false
        return alternatives.some((comparisons) => comparisons.every((holds) => holds(version)))
      },
    },
  }
}

/** A comparison, or what is wrong with it. */
function parseComparison(part: string): Test | string {
  const start = part.search(/[0-9]/)
  if (start < 0) return `Could not get version from string: ${JSON.stringify(part)}`
  const operator = part.slice(0, start)
  const span = versionsOf(part.slice(start))
  if (span === undefined) {
    return `Could not parse version ${JSON.stringify(part.slice(start))} in ${JSON.stringify(part)}`
  }
  return (
    comparison(operator, span) ?? `Could not parse comparator ${JSON.stringify(operator)} in ${JSON.stringify(part)}`
  )
}

/** Versions from `first` on, before `end`; or `first` alone. A wildcard is a span, a version is not. */
interface Span {
  readonly first: SemanticVersion
  readonly end: SemanticVersion | undefined
}

function versionsOf(text: string): Span | undefined {
  const wildcard = /^([^.]+)(?:\.x(?:\.x)?|\.([^.]+)\.x)$/.exec(text)
  if (wildcard === null) {
    const version = parseVersion(text)
    return version && { first: version, end: undefined }
  }
  const [, major, minor] = wildcard
  const first = parseVersion(`${major}.${minor ?? '0'}.0`)
  if (first === undefined || first.prerelease.length > 0) return undefined
  // The peers count on from a wildcard in signed 64 bits; what they cannot read must not be stored.
  if (first.major > maximumWildcard || first.minor > maximumWildcard) return undefined
  const end = minor === undefined ? { ...first, major: first.major + 1n } : { ...first, minor: first.minor + 1n }
  return { first, end }
}

function comparison(operator: string, { first, end }: Span): Test | undefined {
  const fromFirst: Test = (version) => compareVersions(version, first) >= 0
  const afterLast: Test = (version) =>
    end === undefined ? compareVersions(version, first) > 0 : compareVersions(version, end) >= 0
  switch (operator) {
    case '':
    case '=':
    case '==':
      return (version) => fromFirst(version) && !afterLast(version)
    case '!':
    case '!=':
      return (version) => !fromFirst(version) || afterLast(version)
    case '>':
      return afterLast
    case '>=':
      return fromFirst
    case '<':
      return (version) => !fromFirst(version)
    case '<=':
      return (version) => !afterLast(version)
    default:
      return undefined
  }
}
