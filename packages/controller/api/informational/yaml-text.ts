/**
 * JSON values as YAML, for those who would rather read a document that way. Block style; texts are quoted as in JSON, which
 * is a way of quoting in YAML too.
 */

/** Names that need no quotes; `y`, `no` and their kind would be read as something else. */
const plainName = /^(?!(?:true|false|null|yes|no|on|off|y|n)$)[A-Za-z_][\w-]*$/i

/** The value as a YAML document. */
export function yamlText(value: unknown): string {
  return `${block(value, '').trimStart()}\n`
}

/** A value that starts on a line of its own; scalars and what is empty have no lines. */
function block(value: unknown, indent: string): string {
  const lines = linesOf(value, indent)
  return lines.length === 0 ? ` ${JSON.stringify(value)}` : lines.map((line) => `\n${indent}${line}`).join('')
}

function linesOf(value: unknown, indent: string): string[] {
  if (typeof value !== 'object' || value === null) return []
  const inner = `${indent}  `
  if (Array.isArray(value)) return value.map((item) => `- ${block(item, inner).trimStart()}`)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return members.map(
    ([name, member]) => `${plainName.test(name) ? name : JSON.stringify(name)}:${block(member, inner)}`,
  )
}
