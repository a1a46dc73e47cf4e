/**
 * The API described for people: one page made from the served OpenAPI 2 document.
 *
 * It is self-contained and runs no script, so it works where nothing else is reachable, and its policy forbids the browser
 * to load anything. All text of the document is escaped.
 */
import type { Operation } from '../../operation/operation.ts'
import { docsStyle } from './docs-style.ts'

/** The part of an OpenAPI 2 document that the page shows. */
export interface ApiDocument {
  readonly info?: { readonly title?: string; readonly version?: string; readonly description?: string }
  readonly basePath?: string
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly definitions?: Readonly<Record<string, Schema>>
  readonly parameters?: Readonly<Record<string, Parameter>>
  readonly responses?: Readonly<Record<string, Response>>
}

interface Schema {
  readonly $ref?: string
  readonly type?: string
  readonly format?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly items?: Schema | null
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
}

interface Parameter extends Omit<Schema, 'required'> {
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly schema?: Schema
}

interface Response {
  readonly $ref?: string
  readonly description?: string
  readonly schema?: Schema
}

interface Described {
  readonly method: string
  readonly path: string
  readonly tags?: readonly string[]
  readonly summary?: string
  readonly description?: string
  readonly operationId?: string
  readonly parameters?: readonly Parameter[]
  readonly responses?: Readonly<Record<string, Response>>
}

const METHODS = ['get', 'post', 'put', 'patch', 'delete']

const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The operation that serves the page at `/docs`. The page is made when it is first asked for. */
export function docsOperation(document: () => ApiDocument): Operation {
  let page: string | undefined
  return {
    operationId: 'docs',
    method: 'GET',
    path: '/docs',
    access: 'anyone',
    produces: ['text/html'],
    handle() {
      page ??= renderDocsPage(document())
      return {
        status: 200,
        body: page,
        contentType: 'text/html; charset=utf-8',
        headers: { 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff' },
      }
    },
  }
}

/** The whole page. */
export function renderDocsPage(document: ApiDocument): string {
  const { info = {}, basePath = '', definitions = {} } = document
  const title = escapeHtml(info.title ?? 'API')
  const groups = groupByTag(describedOperations(document))
  const menu = [...groups.keys()].map((tag) => `<li><a href="#${anchor('tag', tag)}">${escapeHtml(tag)}</a></li>`)
  const sections = [...groups].map(
    ([tag, operations]) =>
      `<section id="${anchor('tag', tag)}"><h2>${escapeHtml(tag)}</h2>` +
      `${operations.map((operation) => renderOperation(operation, basePath, document)).join('\n')}</section>`,
  )
  const models = Object.keys(definitions)
    .sort()
    .map((name) => renderDefinition(name, definitions[name] as Schema))
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title><style>${docsStyle}</style></head><body>
<nav><strong>${title}</strong> <small>${escapeHtml(info.version ?? '')}</small>
<ul>${menu.join('\n')}</ul><a href="#models">Models</a></nav>
<main><h1>${title}</h1><p>${escapeHtml(info.description ?? '')}</p><p>Base path <code>${escapeHtml(basePath)}</code></p>
${sections.join('\n')}
<section id="models"><h2>Models</h2>${models.join('\n')}</section></main></body></html>
`
}

function describedOperations(document: ApiDocument): Described[] {
  const found: Described[] = []
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    const shared = (item['parameters'] ?? []) as readonly Parameter[]
    for (const method of METHODS) {
      const operation = item[method] as Omit<Described, 'method' | 'path'> | undefined
      if (operation === undefined) continue
      found.push({ ...operation, parameters: [...shared, ...(operation.parameters ?? [])], method, path })
    }
  }
  return found
}

function groupByTag(operations: readonly Described[]): Map<string, Described[]> {
  const groups = new Map<string, Described[]>()
  for (const operation of operations) {
    const tag = operation.tags?.[0] ?? 'Other'
    const group = groups.get(tag)
    if (group === undefined) groups.set(tag, [operation])
    else group.push(operation)
  }
  return new Map([...groups].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function renderOperation(operation: Described, basePath: string, document: ApiDocument): string {
  const { method, path, summary = '', description = '', operationId = '' } = operation
  const parameters = (operation.parameters ?? []).map((one) => resolved(one, document.parameters))
  const responses = Object.entries(operation.responses ?? {}).map(
    ([status, one]) => [status, resolved(one, document.responses)] as const,
  )
  return (
    `<details id="${anchor('op', operationId)}"><summary><b class="${method}">${method.toUpperCase()}</b> ` +
    `<code>${escapeHtml(path)}</code> <span>${escapeHtml(summary)}</span></summary>` +
    `<p>${escapeHtml(description)}</p><p><code>${escapeHtml(basePath + path)}</code></p>` +
    table(
      ['Parameter', 'In', 'Type', 'Meaning'],
      parameters.map((one) => [
        `<code>${escapeHtml(one.name ?? '')}</code>${one.required ? ' <i>required</i>' : ''}`,
        escapeHtml(one.in ?? ''),
        typeOf(one.schema ?? { ...one, required: [] }),
        escapeHtml(one.description ?? ''),
      ]),
    ) +
    table(
      ['Status', 'Body', 'Meaning'],
      responses.map(([status, one]) => [
        escapeHtml(status),
        one.schema === undefined ? '' : typeOf(one.schema),
        escapeHtml(one.description ?? ''),
      ]),
    ) +
    '</details>'
  )
}

function renderDefinition(name: string, schema: Schema): string {
  const parts = [schema, ...(schema.allOf ?? [])]
  const bases = (schema.allOf ?? []).filter(({ $ref }) => $ref !== undefined).map(typeOf)
  const rows = parts.flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties).map(([member, one]) => [
      `<code>${escapeHtml(member)}</code>${required.includes(member) ? ' <i>required</i>' : ''}`,
      typeOf(one),
      escapeHtml(one.description ?? ''),
    ]),
  )
  const kind = rows.length > 0 ? '' : `<p>${typeOf(schema)}</p>`
  return (
    `<details id="${anchor('model', name)}"><summary><code>${escapeHtml(name)}</code></summary>` +
    `<p>${escapeHtml(schema.description ?? '')}</p>${bases.length > 0 ? `<p>Extends ${bases.join(', ')}</p>` : kind}` +
    `${table(['Member', 'Type', 'Meaning'], rows)}</details>`
  )
}

function resolved<T extends { readonly $ref?: string }>(one: T, shared: Readonly<Record<string, T>> | undefined): T {
  return one.$ref === undefined ? one : (shared?.[nameOf(one.$ref)] ?? one)
}

function typeOf(schema: Schema): string {
  if (schema.$ref !== undefined) {
    const name = nameOf(schema.$ref)
    return `<a href="#${anchor('model', name)}">${escapeHtml(name)}</a>`
  }
  if (schema.items) return `list of ${typeOf(schema.items)}`
  if (schema.enum !== undefined)
    return schema.enum.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' | ')
  if (schema.additionalProperties && schema.additionalProperties !== true)
    return `map of ${typeOf(schema.additionalProperties)}`
  return escapeHtml([schema.type ?? 'any', schema.format].filter(Boolean).join(', '))
}

function nameOf(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

/** The id of an element, from letters and digits only. */
function anchor(kind: string, name: string): string {
  return `${kind}-${name.replace(/[^A-Za-z0-9]+/g, '-')}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const lines = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  return `<table><tr>${head.map((cell) => `<th>${cell}</th>`).join('')}</tr>${lines.join('')}</table>`
}

function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
}
