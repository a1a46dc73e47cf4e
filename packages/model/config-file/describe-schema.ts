/**
 * The reference page of a configuration file, written from its schema: a table of keys for each section.
 */
import type { Kind, KindParts } from './kind.ts'
import type { Key, Section } from './section.ts'

export interface PageSpec {
  readonly title: string
  /** Markdown before the first table. */
  readonly introduction: string
}

interface PendingSection {
  readonly path: string
  readonly section: Section
  readonly lead: string
}

/**
 * A Markdown page that describes every key: what it takes, its default and what it is for. A section that is used twice
 * is described once.
 */
export function describeSchema(root: Section, page: PageSpec): string {
  const blocks = [`# ${page.title}`, page.introduction.trim()]
  const pending: PendingSection[] = [{ path: '', section: root, lead: '' }]
  const described = new Map<Section, string>()
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { path, section, lead } = next
    blocks.push(path === '' ? '## Top level' : `## \`${path}\``)
    const earlier = described.get(section)
    if (earlier !== undefined) {
      blocks.push(`The same keys as \`${earlier}\`.`)
      continue
    }
    described.set(section, path)
    if (lead !== '') blocks.push(lead)
    const inner: PendingSection[] = []
    const rows = Object.entries(section.keys).map(([property, key]) => {
      const name = key.name ?? property
      inner.push(...sectionsWithin(key.kind, path === '' ? name : `${path}.${name}`))
      return row(name, key)
    })
    if (rows.length > 0) blocks.push(['| key | value | default | meaning |', '|---|---|---|---|', ...rows].join('\n'))
    else if (lead === '') blocks.push('No keys.')
    const ignored = Object.entries(section.ignored).map(([name, reason]) => `- \`${name}\`: ${reason}`)
    if (ignored.length > 0) blocks.push(['Accepted without effect, with a warning:', '', ...ignored].join('\n'))
    // Depth first, so that a section is followed by what it contains.
    pending.unshift(...inner)
  }
  return `${blocks.join('\n\n')}\n`
}

function row(name: string, key: Key<unknown>): string {
  const usual =
    key.presence === 'required'
      ? 'required'
      : key.presence === 'default'
        ? `\`${key.kind.show(key.default)}\``
        : key.presence === 'optional'
          ? 'none'
          : 'see below'
  const note = key.kind.note === undefined ? '' : ` ${key.kind.note}`
  return `| \`${name}\` | ${cell(takes(key.kind))} | ${cell(usual)} | ${cell(key.meaning + note)} |`
}

function takes(kind: Kind<unknown>): string {
  switch (kind.parts?.form) {
    case 'section':
    case 'choices':
      return 'section'
    case 'list':
      return `list: ${takes(kind.parts.of)}`
    case 'map':
      return `sections by name: ${takes(kind.parts.of)}`
    default:
      return kind.wanted
  }
}

function sectionsWithin(kind: Kind<unknown>, path: string): PendingSection[] {
  const parts: KindParts | undefined = kind.parts
  switch (parts?.form) {
    case 'section':
      return [{ path, section: parts.section, lead: '' }]
    case 'list':
      return sectionsWithin(parts.of, `${path}[]`)
    case 'map':
      return sectionsWithin(parts.of, `${path}.<name>`)
    case 'choices': {
      const chooser: PendingSection = { path, section: { keys: {}, ignored: {} }, lead: parts.lead }
      const choices = Object.entries(parts.choices).map(([label, section]) => ({
        path: `${path}, ${label}`,
        section,
        lead: Object.keys(section.keys).length === 0 ? 'No further keys.' : '',
      }))
      return [chooser, ...choices]
    }
    default:
      return []
  }
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
