import { isIP } from 'node:net'
import {
  AddressFault,
  type HostPort,
  type HostPortRules,
  type ProtocolAddress,
  parseHostPort,
  parseProtocolAddress,
} from './address.ts'
import {
  type BoundRules,
  boundNote,
  isOutside,
  type NumberBounds,
  refusedBounds,
  within,
  withinRules,
} from './bounds.ts'
import { formatDuration, parseDuration } from './duration.ts'
import { absent, foundScalar, type Kind, scalarKind, Unexpected } from './kind.ts'
import { nearestWord } from './nearest-word.ts'
import type { Scalar } from './place.ts'
import { type NumberValue, numberIn } from './scalar.ts'

/** Text. An empty text is refused, or with `blank: 'absent'` counts as none. */
export function text(options: { readonly blank?: 'absent' } = {}): Kind<string> {
  return scalarKind({
    wanted: 'text',
    parse(scalar) {
      if (scalar.type !== 'text') return new Unexpected(`${foundScalar(scalar)}; put it in quotes`)
      if (scalar.value.trim() !== '') return scalar.value
      return options.blank === 'absent' ? absent : new Unexpected('nothing')
    },
  })
}

/** Text that is a secret: it is never shown, neither in messages nor in the reference page. */
export function secretText(): Kind<string> {
  return scalarKind({
    wanted: 'text',
    parse: (scalar) => (scalar.type === 'text' && scalar.value.trim() !== '' ? scalar.value : new Unexpected('none')),
    show: () => '(secret)',
  })
}

/** A whole number within bounds. */
export function integer(rules: BoundRules = {}): Kind<number> {
  return scalarKind({
    wanted: `a whole number${within(refusedBounds(rules), String)}`,
    ...boundNote(rules, String),
    parse(scalar, warn) {
      const value = wholeNumber(scalar)
      return value === undefined ? new Unexpected(foundScalar(scalar)) : withinRules(value, rules, String, warn)
    },
  })
}

/** A whole number of a unit, in memory milliseconds: for keys such as `connectTimeoutMs` and `cycleSeconds`. */
export function wholeUnits(unitMilliseconds: number, unit: string, rules: BoundRules = {}): Kind<number> {
  return scalarKind({
    wanted: `a whole number${within(refusedBounds(rules), String)} (${unit})`,
    ...boundNote(rules, String),
    parse(scalar, warn) {
      const count = wholeNumber(scalar)
      if (count === undefined) return new Unexpected(foundScalar(scalar))
      const allowed = withinRules(count, rules, String, warn)
      return typeof allowed === 'number' ? allowed * unitMilliseconds : allowed
    },
    show: (value) => String(value / unitMilliseconds),
  })
}

/** A number within bounds, whole or not. */
export function decimal(bounds: NumberBounds = {}): Kind<number> {
  return scalarKind({
    wanted: `a number${within(bounds, String)}`,
    parse(scalar) {
      const value = numberOf(scalar)
      const isRight = value !== undefined && Number.isFinite(value.value) && !isOutside(value.value, bounds)
      return isRight ? value.value : new Unexpected(foundScalar(scalar))
    },
  })
}

function wholeNumber(scalar: Scalar): number | undefined {
  const value = numberOf(scalar)
  return value?.type === 'integer' && Number.isSafeInteger(value.value) ? value.value : undefined
}

/** Text from the environment may spell a number; text in quotes is text. */
function numberOf(scalar: Scalar): NumberValue | undefined {
  if (scalar.type === 'integer' || scalar.type === 'number') return scalar
  return scalar.type === 'text' && scalar.isSubstituted ? numberIn(scalar.value.trim()) : undefined
}

/** Yes or no; the words `true` and `false` as text count too. */
export function flag(): Kind<boolean> {
  return scalarKind({
    wanted: 'true or false',
    parse(scalar) {
      if (scalar.type === 'flag') return scalar.value
      const word = scalar.type === 'text' ? scalar.value.trim().toLowerCase() : ''
      if (word === 'true' || word === 'false') return word === 'true'
      return new Unexpected(foundScalar(scalar))
    },
  })
}

/** A duration in Go's notation, in memory milliseconds. Bounds are milliseconds too. */
export function duration(rules: BoundRules = {}): Kind<number> {
  const words = { belowMin: 'shorter', aboveMax: 'longer' }
  return scalarKind({
    wanted: `a duration such as 30s or 1h30m${within(refusedBounds(rules), formatDuration)}`,
    ...boundNote(rules, formatDuration),
    parse(scalar, warn) {
      if (scalar.type === 'integer' && scalar.value !== 0) return new Unexpected(`${scalar.value} without a unit`)
      const written = scalar.type === 'integer' ? '0' : scalar.type === 'text' ? scalar.value.trim() : undefined
      const milliseconds = written === undefined ? undefined : parseDuration(written)
      const isNegative = milliseconds !== undefined && milliseconds < 0 && rules.belowMin === undefined
      if (milliseconds === undefined || isNegative) return new Unexpected(foundScalar(scalar))
      return withinRules(milliseconds, rules, formatDuration, warn, words)
    },
    show: formatDuration,
  })
}

/** `host:port`, IPv6 hosts in brackets, ports from 1. */
export function hostPort(): Kind<HostPort> {
  const rules: HostPortRules = { lowestPort: 1, hostMayBeEmpty: false }
  return addressKind('host:port', (written) => parseHostPort(written, rules))
}

/** `protocol:host:port` with one of the protocols given. `isListener` lets the host be empty: every interface. */
export function protocolAddress(
  protocols: readonly string[],
  options: { readonly isListener?: true; readonly blank?: 'absent' } = {},
): Kind<ProtocolAddress> {
  const rules: HostPortRules = { lowestPort: 0, hostMayBeEmpty: options.isListener === true }
  const form = protocols.length === 1 ? `${protocols[0]}:host:port` : 'protocol:host:port'
  const note = protocols.length === 1 ? undefined : `Protocols: ${protocols.join(', ')}.`
  return addressKind(form, (written) => parseProtocolAddress(written, protocols, rules), { ...options, note })
}

function addressKind<A extends HostPort>(
  wanted: string,
  parse: (written: string) => A | AddressFault,
  options: { readonly blank?: 'absent'; readonly note?: string | undefined } = {},
): Kind<A> {
  return scalarKind<A>({
    wanted,
    ...(options.note === undefined ? {} : { note: options.note }),
    parse(scalar) {
      if (scalar.type !== 'text') return new Unexpected(foundScalar(scalar))
      if (options.blank === 'absent' && scalar.value.trim() === '') return absent
      const address = parse(scalar.value)
      return address instanceof AddressFault ? new Unexpected(address.found) : address
    },
    show: (address) => address.text,
  })
}

/** One of a few words. Case counts unless `anyCase` is set; the word in memory is always the one declared. */
export function oneOf<const W extends string>(words: readonly W[], options: { readonly anyCase?: true } = {}): Kind<W> {
  return scalarKind<W>({
    wanted: words.length === 1 ? words[0]! : `one of ${words.join(', ')}`,
    parse(scalar) {
      const written = scalar.type === 'text' ? scalar.value.trim() : ''
      const same = (word: string) => word === written || (options.anyCase && word === written.toLowerCase())
      return words.find(same) ?? new Unexpected(foundScalar(scalar) + didYouMean(written, words))
    },
  })
}

/** Exactly one whole number, for version keys. */
export function exactly<const N extends number>(value: N): Kind<N> {
  return scalarKind<N>({
    wanted: String(value),
    parse: (scalar) =>
      scalar.type === 'integer' && scalar.value === value ? value : new Unexpected(foundScalar(scalar)),
  })
}

/** An IP address or a CIDR block, as text. */
export function ipOrCidr(): Kind<string> {
  return custom('an IP address or a CIDR block such as 10.0.0.0/8', (written) => {
    const [address = '', bits, ...rest] = written.split('/')
    const version = isIP(address)
    const isBlock = bits === undefined || (/^[0-9]{1,3}$/u.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
    return version !== 0 && isBlock && rest.length === 0 ? written : undefined
  })
}

/** Text that a function understands; undefined from it means "no". An empty text can count as none. */
export function custom<T>(
  wanted: string,
  parse: (written: string) => T | Unexpected | undefined,
  options: { readonly blank?: 'absent' } = {},
): Kind<T> {
  return scalarKind<T>({
    wanted,
    parse(scalar) {
      const written = scalar.type === 'text' ? scalar.value.trim() : undefined
      if (written === '' && options.blank === 'absent') return absent
      const parsed = written === undefined ? undefined : parse(written)
      return parsed === undefined ? new Unexpected(foundScalar(scalar)) : parsed
    },
  })
}

/** A suggestion to append to a message, or nothing. */
export function didYouMean(misspelt: string, words: Iterable<string>): string {
  const nearest = nearestWord(misspelt, words)
  return nearest === undefined ? '' : `; did you mean ${nearest}?`
}
