/**
 * Rows as the controller holds them in memory: frozen plain objects, replaced as a whole, never edited.
 */

/** What a tag may hold. */
export type TagValue = string | number | boolean | null
export type Tags = Readonly<Record<string, TagValue>>

/** What every row has. Times are the API's own text form (UTC, three fraction digits), which sorts as text. */
export interface Row {
  readonly id: string
  readonly createdAt: string
  readonly updatedAt: string
  readonly tags: Tags
  readonly isSystem: boolean
}

/**
 * Which row type each table holds. Every resource file adds its own entry by declaration merging, so that a table can
 * be named from anywhere with its type and without an import that runs upward.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging in resources/
export interface TableRows {}

export type TableName = keyof TableRows & string
