/** A version as semver.org defines it. Numbers are as large as the peers keep them: 64 bits, unsigned. */
export interface SemanticVersion {
  readonly major: bigint
  readonly minor: bigint
  readonly patch: bigint
  readonly prerelease: readonly (bigint | string)[]
}

const maximumLength = 256
const maximumNumber = 2n ** 64n - 1n
const number = /^(0|[1-9][0-9]*)$/
const identifier = /^[0-9A-Za-z-]+$/

/** Parses a version strictly: three numbers without leading zeroes, then optionally `-pre.release` and `+build`. */
export function parseVersion(text: string): SemanticVersion | undefined {
  if (text.length > maximumLength) return undefined
  const [core = '', build] = splitOnce(text, '+')
  if (build !== undefined && !build.split('.').every((part) => identifier.test(part))) return undefined
  const [numbers = '', prereleaseText] = splitOnce(core, '-')
  const parts = numbers.split('.').map(parseNumber)
  const prerelease = prereleaseText === undefined ? [] : prereleaseText.split('.').map(parseIdentifier)
  const [major, minor, patch] = parts
  if (parts.length !== 3 || major === undefined || minor === undefined || patch === undefined) return undefined
  if (prerelease.includes(undefined)) return undefined
  return { major, minor, patch, prerelease: prerelease as (bigint | string)[] }
}

/** Orders two versions: negative, zero or positive. Build metadata does not count; a pre-release comes before its release. */
export function compareVersions(left: SemanticVersion, right: SemanticVersion): number {
  return (
    order(left.major, right.major) ||
    order(left.minor, right.minor) ||
    order(left.patch, right.patch) ||
    comparePrereleases(left.prerelease, right.prerelease)
  )
}

function comparePrereleases(left: readonly (bigint | string)[], right: readonly (bigint | string)[]): number {
  if (left.length === 0 || right.length === 0) return order(right.length, left.length)
  for (let index = 0; index < left.length && index < right.length; index++) {
    const [ours, theirs] = [left[index]!, right[index]!]
    // Numbers come before words.
    const difference = typeof ours === typeof theirs ? order(ours, theirs) : typeof ours === 'bigint' ? -1 : 1
    if (difference !== 0) return difference
  }
  return order(left.length, right.length)
}

function order<Value extends bigint | string | number>(left: Value, right: Value): number {
  return left < right ? -1 : left > right ? 1 : 0
}

function parseNumber(text: string): bigint | undefined {
  if (!number.test(text)) return undefined
  const value = BigInt(text)
  return value <= maximumNumber ? value : undefined
}

function parseIdentifier(text: string): bigint | string | undefined {
  if (/^[0-9]+$/.test(text)) return parseNumber(text)
  return identifier.test(text) ? text : undefined
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}
