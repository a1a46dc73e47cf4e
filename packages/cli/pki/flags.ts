/** The flags that the steps of `weft pki create` share; they have the names that `ziti pki create` gives them. */
import { type DistinguishedName, type KeyKind, keyKinds } from '@weft/pki'
import { type Command, InvalidArgumentError } from 'commander'
import { UsageError } from '../usage-error.ts'

/** Of every `weft pki` command. */
export interface PkiFlags {
  readonly pkiRoot: string
  readonly json?: boolean
}

export interface KeyFlags {
  readonly curve?: KeyKind
  readonly privateKeySize?: KeyKind
}

export interface SubjectFlags {
  readonly pkiOrganization: string
  readonly pkiOrganizationalUnit?: string
  readonly pkiCountry?: string
  readonly pkiLocality?: string
  readonly pkiProvince?: string
}

const day = 24 * 60 * 60_000
const maxDays = 36_500

export function withPkiFlags(command: Command): Command {
  return command.requiredOption('--pki-root <directory>', 'where the PKI lies').option('--json', 'print JSON')
}

export function withKeyFlags(command: Command): Command {
  return command
    .option('--curve <name>', 'EC key on P256, P384 or P521 (default: P256)', readCurve)
    .option('--private-key-size <bits>', 'RSA key of 2048, 3072 or 4096 bits instead', readRsaSize)
}

export function withSubjectFlags(command: Command): Command {
  return command
    .option('--pki-organization <name>', 'organization of the subject', 'Weft')
    .option('--pki-organizational-unit <name>', 'organizational unit of the subject')
    .option('--pki-country <letters>', 'country of the subject, two letters')
    .option('--pki-locality <name>', 'locality of the subject')
    .option('--pki-province <name>', 'province of the subject')
}

export function withLifetimeFlag(command: Command, days: number): Command {
  return command.option('--expire-limit <days>', 'days until it ends; never later than its authority', readDays, days)
}

/** In milliseconds. */
export function lifetimeFrom({ expireLimit }: { readonly expireLimit: number }): number {
  return expireLimit * day
}

/** Undefined leaves the choice to the library. */
export function keyKindFrom({ curve, privateKeySize }: KeyFlags): { readonly keyKind?: KeyKind } {
  if (curve !== undefined && privateKeySize !== undefined) {
    throw new UsageError('a key is on a curve or has a size: give --curve or --private-key-size, not both')
  }
  const keyKind = curve ?? privateKeySize
  return keyKind === undefined ? {} : { keyKind }
}

export function subjectFrom(flags: SubjectFlags, commonName: string): DistinguishedName {
  const { pkiOrganization, pkiOrganizationalUnit, pkiCountry, pkiLocality, pkiProvince } = flags
  return {
    organization: pkiOrganization,
    commonName,
    ...(pkiOrganizationalUnit && { organizationalUnit: pkiOrganizationalUnit }),
    ...(pkiCountry && { country: pkiCountry }),
    ...(pkiLocality && { locality: pkiLocality }),
    ...(pkiProvince && { province: pkiProvince }),
  }
}

/** For flags that may be repeated, and whose values may be several with commas between them. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...text.split(',').flatMap((part) => (part.trim() === '' ? [] : [part.trim()]))]
}

function readDays(text: string): number {
  const days = Number(text)
  if (!Number.isInteger(days) || days < 1 || days > maxDays) throw new InvalidArgumentError(`wanted 1 to ${maxDays}`)
  return days
}

/** -1 means any number. */
export function readPathLength(text: string): number {
  const length = Number(text)
  if (!Number.isInteger(length) || length < -1 || length > 8) throw new InvalidArgumentError('wanted -1 to 8')
  return length
}

function readCurve(text: string): KeyKind {
  const wanted = text.replace('-', '').toUpperCase()
  const found = keyKinds.find((kind) => kind.startsWith('P-') && kind.replace('-', '') === wanted)
  if (found === undefined) throw new InvalidArgumentError('wanted P256, P384 or P521')
  return found
}

function readRsaSize(text: string): KeyKind {
  const found = keyKinds.find((kind) => kind === `RSA-${text}`)
  if (found === undefined) throw new InvalidArgumentError('wanted 2048, 3072 or 4096')
  return found
}
