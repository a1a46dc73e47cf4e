/**
 * Ids as the peers make them: opaque, chosen by the server, and recognisable by kind to people who read logs.
 */
import { randomInt, randomUUID } from 'node:crypto'

/** `short`: identities and routers; `uuid`: most entities; `cuid`: API sessions and sessions. */
export type IdKind = 'short' | 'uuid' | 'cuid'

const SHORT = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-'
const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newId(kind: IdKind): string {
  if (kind === 'short') return shortId()
  if (kind === 'cuid') return cuid()
  return uuidInBase62(randomUUID())
}

/** Ten characters that begin with a letter or a digit: commands would take a leading dash for a flag. */
export function shortId(): string {
  for (;;) {
    const id = tenCharacters()
    if (!id.startsWith('-') && !id.startsWith('.')) return id
  }
}

/**
 * Of a 64-letter alphabet: 60 random bits, three hexadecimal digits for two characters. They are taken from a UUID, which
 * the platform makes from random bytes that it has in store, and from those of its digits that are random.
 */
function tenCharacters(): string {
  const uuid = randomUUID()
  const digits = uuid.slice(0, 8) + uuid.slice(9, 13) + uuid.slice(24, 27)
  let id = ''
  for (let at = 0; at < digits.length; at += 3) {
    const bits = Number.parseInt(digits.slice(at, at + 3), 16)
    id += SHORT[bits >> 6]! + SHORT[bits & 63]!
  }
  return id
}

/** A UUID's 128 bits in base 62, without padding. */
export function uuidInBase62(uuid: string): string {
  let rest = BigInt(`0x${uuid.replaceAll('-', '')}`)
  let text = ''
  while (rest > 0n) {
    text = BASE62[Number(rest % 62n)]! + text
    rest /= 62n
  }
  return text
}

/** 25 characters, the first a `c`; time first, so that ids of one process sort by age. */
export function cuid(): string {
  const time = Date.now().toString(36).padStart(8, '0').slice(-8)
  let rest = ''
  while (rest.length < 16) rest += randomInt(36).toString(36)
  return `c${time}${rest}`
}
