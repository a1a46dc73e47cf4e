/** A refused filter or sort order. */

export type FilterErrorCode = 'INVALID_FILTER' | 'INVALID_SORT_IDENTIFIER'

/** A place in a filter: lines from 1, columns in characters from 0, as the peers count them. */
export interface Place {
  readonly line: number
  readonly column: number
}

/** Why a filter or sort order cannot be used. The message is the one that clients know as the cause. */
export class FilterError extends Error {
  readonly code: FilterErrorCode
  readonly line: number | undefined
  readonly column: number | undefined

  constructor(message: string, place?: Place, code: FilterErrorCode = 'INVALID_FILTER') {
    super(message)
    this.name = 'FilterError'
    this.code = code
    this.line = place?.line
    this.column = place?.column
  }
}

/** Where the character at `offset` stands. */
export function placeOf(text: string, offset: number): Place {
  const before = text.slice(0, offset)
  const lineStart = before.lastIndexOf('\n') + 1
  let line = 1
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line++
  let column = 0
  for (const _character of before.slice(lineStart)) column++
  return { line, column }
}
