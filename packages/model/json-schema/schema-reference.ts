/**
 * Where a `$ref` leads. Only the schema itself can be referred to: as `#`, by a JSON pointer in a fragment, or by the
 * schema's own `$id` followed by either. Nothing is ever fetched.
 */
import { isJsonObject } from './json-value.ts'
import { SchemaError } from './schema-error.ts'

/** The schema a reference leads to, and its path; `from` is the path of the schema that refers. */
export function resolveReference(root: unknown, reference: string, from: string): { schema: unknown; path: string } {
  const fragment = fragmentOf(root, reference)
  if (fragment === undefined) {
    throw new SchemaError('REMOTE_REFERENCE', from, `Reference ${reference} must lead into the schema itself`)
  }
  let schema: unknown = root
  if (fragment === '') return { schema, path: '#' }
  for (const step of pointerSteps(fragment) ?? unresolved(reference, from)) {
    const here = schema
    if (Array.isArray(here) && /^(0|[1-9]\d{0,8})$/.test(step)) schema = here[Number(step)]
    else if (isJsonObject(here) && Object.hasOwn(here, step)) schema = here[step]
    else unresolved(reference, from)
    if (isEmbeddedResource(schema)) {
      throw new SchemaError(
        'REMOTE_REFERENCE',
        from,
        `Reference ${reference} leads into a schema with an $id of its own`,
      )
    }
  }
  if (typeof schema !== 'boolean' && !isJsonObject(schema)) {
    throw new SchemaError('UNRESOLVED_REFERENCE', from, 'valid schema must be of type object')
  }
  return { schema, path: `#${fragment}` }
}

/** Whether a subschema starts a document of its own, inside which references mean something else. */
export function isEmbeddedResource(schema: unknown): boolean {
  if (!isJsonObject(schema) || !Object.hasOwn(schema, '$id')) return false
  const id = schema['$id']
  return typeof id === 'string' && !id.startsWith('#')
}

function fragmentOf(root: unknown, reference: string): string | undefined {
  const hash = reference.indexOf('#')
  const base = hash < 0 ? reference : reference.slice(0, hash)
  const fragment = hash < 0 ? '' : reference.slice(hash + 1)
  if (base === '') return hash < 0 ? undefined : fragment
  const id = isJsonObject(root) && Object.hasOwn(root, '$id') ? root['$id'] : undefined
  return typeof id === 'string' && id.replace(/#$/, '') === base ? fragment : undefined
}

function pointerSteps(fragment: string): string[] | undefined {
  if (!fragment.startsWith('/')) return undefined
  try {
    const pointer = decodeURIComponent(fragment.slice(1))
    return pointer.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}

function unresolved(reference: string, from: string): never {
  throw new SchemaError('UNRESOLVED_REFERENCE', from, `Reference ${reference} leads to nothing in the schema`)
}
