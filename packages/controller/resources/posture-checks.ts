/**
 * Posture checks: what a device must report before a policy lets it through.
 *
 * There are six kinds. `typeId` says which, stands in every body, and never changes. Values are brought into one form when
 * they are written, so that judging compares instead of interpreting.
 */
import { hexDigits, parseVersionRange } from '@weft/model'
import { fieldError } from '../operation/api-error.ts'
import {
  defineFields,
  flag,
  integer,
  listOf,
  oneOf,
  optionalObject,
  type RowOf,
  roleAttributes,
  uniqueName,
} from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'
import {
  listShape,
  type MembersOf,
  objectShape,
  optional,
  required,
  type Shape,
  textShape,
} from '../resource-kit/shapes.ts'
import { narrowByRoles, roleFilterParameters } from './role-filter.ts'

const kinds = ['OS', 'DOMAIN', 'MAC', 'MFA', 'PROCESS', 'PROCESS_MULTI'] as const
const systems = ['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS'] as const
const texts = listShape(textShape({ max: 4_096 }))
const NO_TIMEOUT = -1

interface OperatingSystem {
  readonly type: string
  /** Null: any version. */
  readonly versions: readonly string[] | null
}

const operatingSystemShape = objectShape({
  type: required(textShape({ oneOf: systems })),
  versions: required(texts),
}) as unknown as Shape<OperatingSystem>

const processMembers = {
  osType: required(textShape({ oneOf: systems })),
  path: required(textShape({ max: 4_096 })),
}

const oneProcess = {
  ...processMembers,
  /** Null: any. */
  hashes: optional<readonly string[] | null>(texts as Shape<readonly string[] | null>, null),
  signerFingerprint: optional(textShape({ max: 4_096 })),
}

type OneProcess = MembersOf<typeof oneProcess>

const processShape = objectShape({
  ...processMembers,
  hashes: optional(texts, []),
  signerFingerprints: optional(texts, []),
})

type Process = ReturnType<typeof processShape.read>

const isTheirs = { required: 'on create and put' } as const

const fields = defineFields({
  typeId: oneOf(kinds, { required: 'always', symbol: true }),
  name: uniqueName(),
  roleAttributes: roleAttributes(),
  operatingSystems: listOf(operatingSystemShape, {
    ...isTheirs,
    onlyFor: ['OS'],
    min: 1,
    normalise: oneOfEachSystem,
    holds: haveVersionRanges,
  }),
  domains: listOf(textShape({ max: 4_096 }), { ...isTheirs, onlyFor: ['DOMAIN'], min: 1, normalise: distinctSorted }),
  macAddresses: listOf(textShape({ max: 4_096 }), {
    ...isTheirs,
    onlyFor: ['MAC'],
    min: 1,
    normalise: (addresses) => distinctSorted(addresses.map(hexDigits)),
    holds: areAddresses,
  }),
  timeoutSeconds: integer({
    onlyFor: ['MFA'],
    shown: 'when set',
    default: NO_TIMEOUT,
    normalise: (seconds) => (seconds <= 0 ? NO_TIMEOUT : seconds),
  }),
  promptOnWake: flag({ onlyFor: ['MFA'], shown: 'when set', symbol: true }),
  promptOnUnlock: flag({ onlyFor: ['MFA'], shown: 'when set', symbol: true }),
  ignoreLegacyEndpoints: flag({ onlyFor: ['MFA'], shown: 'when set' }),
  process: optionalObject(oneProcess, { ...isTheirs, onlyFor: ['PROCESS'], normalise: lowerCased }),
  semantic: oneOf(['AllOf', 'AnyOf'], { ...isTheirs, onlyFor: ['PROCESS_MULTI'] }),
  processes: listOf(processShape, { ...isTheirs, onlyFor: ['PROCESS_MULTI'], min: 1, normalise: oneOfEachProcess }),
})

export type PostureCheck = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    postureChecks: PostureCheck
  }
}

export const postureChecks = defineResource({
  collection: 'posture-checks',
  singular: 'postureCheck',
  table: 'postureChecks',
  permission: 'posture-check',
  fields,
  rules: [kindStays],
  narrow: narrowByRoles('postureChecks'),
  listParameters: roleFilterParameters,
  live: { version: () => 1 },
  listContentType: 'application/json; charset=utf-8',
})

function kindStays({ typeId }: PostureCheck, before: PostureCheck | undefined): void {
  if (before === undefined || before.typeId === typeId) return
  throw fieldError('typeId', `this is a posture check of type ${before.typeId}, which cannot change`, typeId)
}

/** Of entries for the same system the last counts. */
function oneOfEachSystem(entries: readonly OperatingSystem[]): readonly OperatingSystem[] {
  return byKey(entries, ({ type }) => type).map(({ type, versions }) => {
    const distinct = distinctSorted(versions ?? [])
    return { type, versions: distinct.length === 0 ? null : distinct }
  })
}

function haveVersionRanges(entries: readonly OperatingSystem[], at: string): void {
  for (const [index, { versions }] of entries.entries()) {
    for (const version of versions ?? []) {
      const { error } = parseVersionRange(version)
      if (error !== undefined) throw fieldError(`${at}.${index}.versions`, `invalid version range: ${error}`, version)
    }
  }
}

function areAddresses(addresses: readonly string[], at: string): void {
  if (addresses.includes('')) throw fieldError(at, 'a MAC address consists of hexadecimal digits')
}

function lowerCased(process: OneProcess | null): OneProcess | null {
  if (process === null) return null
  const hashes = distinctSorted((process.hashes ?? []).map((hash) => hash.toLowerCase()))
  const signerFingerprint = process.signerFingerprint?.toLowerCase()
  return { ...process, hashes: hashes.length === 0 ? null : hashes, signerFingerprint: signerFingerprint || undefined }
}

/** Of entries for the same path on the same system the last counts. */
function oneOfEachProcess(entries: readonly Process[]): readonly Process[] {
  return byKey(entries, ({ osType, path }) => `${osType}\0${path}`).map((process) => ({
    ...process,
    hashes: distinctSorted(process.hashes),
    signerFingerprints: distinctSorted(process.signerFingerprints),
  }))
}

function byKey<T>(entries: readonly T[], key: (entry: T) => string): T[] {
  const last = new Map(entries.map((entry) => [key(entry), entry]))
  return [...last.keys()].sort().map((name) => last.get(name)!)
}

function distinctSorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort()
}
