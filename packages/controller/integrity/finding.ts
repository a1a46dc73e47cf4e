/**
 * What can be wrong with the data, one kind each, and how it is told.
 *
 * The rows in memory are what callers were told; the disk must hold the same, and the journal must say how it came to be.
 */

/** A row by its table and id; the table need not be one that exists. */
export interface RowName {
  readonly table: string
  readonly id: string
}

export type Finding =
  /** The storage engine does not trust its own file. */
  | { readonly kind: 'engine'; readonly text: string }
  | (RowName & { readonly kind: 'of no table' })
  /** `index`: where the journal has its newest image, when the controller does not hold the row either. */
  | (RowName & { readonly kind: 'unreadable'; readonly reason: string; readonly index?: number })
  | (RowName & { readonly kind: 'not stored' })
  | (RowName & { readonly kind: 'stored differently' })
  | (RowName & { readonly kind: 'stored only' })
  | (RowName & { readonly kind: 'lost'; readonly index: number })
  | (RowName & { readonly kind: 'deleted'; readonly index: number })
  | (RowName & { readonly kind: 'dangling'; readonly index?: number } & DanglingReference)
  | { readonly kind: 'shared'; readonly table: string; readonly field: string; readonly ids: readonly string[] }

export interface DanglingReference {
  readonly field: string
  /** The table it points into, and the row that is not there. */
  readonly target: string
  readonly targetId: string
  /** A role of a policy, rather than a plain reference. */
  readonly isRole: boolean
}

const mostIds = 10

/** The finding in words; never with a value of a field, which might be a secret. */
export function describeFinding(finding: Finding): string {
  switch (finding.kind) {
    case 'engine':
      return `the storage reports: ${finding.text}`
    case 'of no table':
      return `${nameOf(finding)} is stored, but there is no such table`
    case 'unreadable':
      return `what is stored for ${nameOf(finding)} ${finding.reason}`
    case 'not stored':
      return `${nameOf(finding)} is lost from the storage, though the controller still holds it`
    case 'stored differently':
      return `${nameOf(finding)} is stored differently from how the controller holds it`
    case 'stored only':
      return `${nameOf(finding)} is stored, but the controller knows of no such row`
    case 'lost':
      return `${nameOf(finding)} is lost: the journal says at ${finding.index} that it exists`
    case 'deleted':
      return `${nameOf(finding)} exists, although the journal says at ${finding.index} that it was deleted`
    case 'dangling': {
      const { field, isRole, target, targetId } = finding
      return `${field} of ${nameOf(finding)} ${isRole ? 'selects' : 'refers to'} ${target}/${targetId}, which does not exist`
    }
    case 'shared': {
      const { table, field, ids } = finding
      const others = ids.length > mostIds ? ` and ${ids.length - mostIds} more` : ''
      return `${table} with one and the same ${field}, which must be unique: ${ids.slice(0, mostIds).join(', ')}${others}`
    }
  }
}

/** A key for maps and sets of rows. */
export function rowKey({ table, id }: RowName): string {
  return `${table}\n${id}`
}

function nameOf({ table, id }: RowName): string {
  return `${table}/${id}`
}
