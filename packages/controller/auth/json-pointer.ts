/** The value that a JSON pointer leads to (RFC 6901); the slash at its beginning may be left out. */
export function valueAt(document: unknown, pointer: string): unknown {
  const path = pointer.startsWith('/') ? pointer.slice(1) : pointer
  let value = document
  for (const part of path.split('/')) {
    if (typeof value !== 'object' || value === null) return undefined
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    // What every object inherits was said by nobody.
    if (!Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
