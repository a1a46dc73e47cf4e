/**
 * A configuration that may be shown: to an operator who inspects the router, and to the controllers between. Keys in
 * place of paths, passwords and whatever is named like one are left out.
 */
import type { RouterConfig } from './router-config.ts'

const secretNames = /password|secret|token|passphrase/iu
const hidden = '(secret)'

/** Plain data, for JSON. */
export function redactedConfig(config: RouterConfig): unknown {
  return redacted('', config)
}

function redacted(name: string, value: unknown): unknown {
  if (secretNames.test(name) && value !== undefined && value !== null) return hidden
  if (typeof value === 'string') return isInline(value) ? hidden : value
  if (Array.isArray(value)) return value.map((item) => redacted('', item))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, redacted(key, part)]))
}

/** A key or certificate itself, and not where it lies. */
function isInline(value: string): boolean {
  return value.includes('-----BEGIN') || /^\s*pem:/iu.test(value)
}
