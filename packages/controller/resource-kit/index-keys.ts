/**
 * The keys under which a value is indexed: a text under itself, a list under each of its elements, a map under each of
 * its keys. What is empty stands nowhere.
 */
const none: readonly string[] = []

export function indexKeys(value: unknown): readonly string[] {
  if (typeof value === 'string') return value === '' ? none : [value]
  if (Array.isArray(value)) return value as readonly string[]
  return typeof value === 'object' && value !== null ? Object.keys(value) : none
}

/** The value without one of its keys; null where it was nothing else. */
export function withoutKey(value: unknown, key: string): unknown {
  if (Array.isArray(value)) return value.filter((entry) => entry !== key)
  if (typeof value !== 'object' || value === null) return null
  const { [key]: _gone, ...rest } = value as Record<string, unknown>
  return rest
}
