/**
 * What may reach a log line: a bounded copy of the fields in which secrets are replaced.
 *
 * Secrets are known by the name of their key, at any depth and in any spelling (`newPassword`, `zt-session`), and by
 * their look where they hide inside a sentence (a JWT, the value of an Authorization header). It never throws, whatever
 * it is handed: a log line must not be the reason a request fails.
 */

export const REDACTED = '[redacted]'

/** Keys whose last word makes them a secret. Compared without case, dashes and underscores. */
const SECRET_ENDINGS = ['password', 'passwd', 'passphrase', 'token', 'tokens', 'secret', 'jwt', 'privatekey', 'cookie']

/** Keys that are secrets only as a whole. */
const SECRET_KEYS = new Set([
  'authorization',
  'proxyauthorization',
  'ztsession',
  'salt',
  'seed',
  'totp',
  'totpseed',
  'otp',
  'recoverycodes',
  'verifier',
  'codeverifier',
])

/** Secrets by their look. Each pattern takes linear time on any text: no start lies inside another match's run. */
const JWT_TEXT = /(?<![\w-])eyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g
const PRIVATE_KEY_TEXT = /-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----[^-]*(?:-----END [A-Z ]{0,30}PRIVATE KEY-----)?/g
const AUTHORIZATION_TEXT = /\b(bearer|basic)\s+[\w~+/=.-]{8,}/gi

const MAX_DEPTH = 8
const MAX_ENTRIES = 100
const MAX_NODES = 1_000
const MAX_TEXT = 8_192

/** Whether values under this key must not be shown. */
export function isSecretKey(key: string): boolean {
  const plain = key.toLowerCase().replaceAll('-', '').replaceAll('_', '')
  return SECRET_KEYS.has(plain) || SECRET_ENDINGS.some((ending) => plain.endsWith(ending))
}

/** A sentence without the secrets that can be told by their look, cut at a bound. */
export function redactText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length} characters)` : text
  return cut
    .replace(JWT_TEXT, REDACTED)
    .replace(PRIVATE_KEY_TEXT, REDACTED)
    .replace(AUTHORIZATION_TEXT, `$1 ${REDACTED}`)
}

/** A copy of log fields that is safe to write: no secrets, bounded in depth, width and text, plain JSON only. */
export function redactFields(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return copyEntries(fields, 0, { left: MAX_NODES })
}

interface Budget {
  left: number
}

function copyEntries(source: object, depth: number, budget: Budget): Record<string, unknown> {
  const copy: Record<string, unknown> = {}
  const keys = Object.keys(source)
  for (const key of keys.slice(0, MAX_ENTRIES)) {
    const value = read(source, key)
    const shown = isSecretKey(key) ? hide(value) : copyValue(value, depth + 1, budget)
    if (shown !== undefined) define(copy, key, shown)
  }
  if (keys.length > MAX_ENTRIES) define(copy, '…', `${keys.length - MAX_ENTRIES} more`)
  return copy
}

/** That a secret is absent or a mere flag is worth knowing and gives nothing away. */
function hide(value: unknown): unknown {
  return value === null || value === undefined || value === '' || typeof value === 'boolean' ? value : REDACTED
}

function copyValue(value: unknown, depth: number, budget: Budget): unknown {
  if (budget.left-- <= 0) return '…'
  switch (typeof value) {
    case 'string':
      return redactText(value)
    case 'number':
      return Number.isFinite(value) ? value : String(value)
    case 'boolean':
      return value
    case 'bigint':
      return value.toString()
    case 'object':
      return value === null ? null : copyObject(value, depth, budget)
    default:
      return undefined
  }
}

function copyObject(value: object, depth: number, budget: Budget): unknown {
  try {
    if (value instanceof Error) return copyError(value, depth, budget)
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'invalid date' : value.toISOString()
    if (value instanceof URL) return redactText(`${value.origin}${value.pathname}`)
    if (ArrayBuffer.isView(value)) return `${value.byteLength} bytes`
    if (depth > MAX_DEPTH) return '…'
    if (value instanceof Map) return copyEntries(Object.fromEntries(value), depth, budget)
    if (value instanceof Set) return copyList([...value], depth, budget)
    if (Array.isArray(value)) return copyList(value, depth, budget)
    return copyEntries(value, depth, budget)
  } catch {
    // Only a hostile getter or proxy comes here; there is nothing to tell but that it was there.
    return '[unreadable]'
  }
}

function copyList(list: readonly unknown[], depth: number, budget: Budget): unknown[] {
  const copy = list.slice(0, MAX_ENTRIES).map((item) => copyValue(item, depth + 1, budget) ?? null)
  if (list.length > MAX_ENTRIES) copy.push(`… ${list.length - MAX_ENTRIES} more`)
  return copy
}

function copyError(error: Error, depth: number, budget: Budget): Record<string, unknown> {
  const copy: Record<string, unknown> = { type: error.name, message: redactText(error.message) }
  if (typeof error.stack === 'string') copy['stack'] = redactText(error.stack)
  Object.assign(copy, depth > MAX_DEPTH ? {} : copyEntries(error, depth, budget))
  if (error.cause !== undefined) copy['cause'] = depth > MAX_DEPTH ? '…' : copyValue(error.cause, depth + 1, budget)
  return copy
}

function read(source: object, key: string): unknown {
  try {
    return (source as Record<string, unknown>)[key]
  } catch {
    return '[unreadable]'
  }
}

/** Assignment would run the `__proto__` setter for a key of that name. */
function define(target: object, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
}
