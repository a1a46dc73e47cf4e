/**
 * A section written out as comments: each key with what it means and its default, to be uncommented and changed. The
 * text comes from the declaration, so that a generated file never says anything else than the program does.
 */
import type { Keys } from '@weft/model/config-file'

/** Lines such as `  # How often …` and `  #interval: 5s`. A commented key has no blank behind its sign, prose has. */
export function commentedKeys(keys: Keys, indent: string): string[] {
  const lines: string[] = []
  for (const [property, key] of Object.entries(keys)) {
    const name = key.name ?? property
    const { parts } = key.kind
    const note = key.kind.note === undefined ? '' : ` ${key.kind.note}`
    lines.push(...prose(key.meaning + note, indent))
    if (parts?.form === 'section') {
      lines.push(`${indent}#${name}:`, ...commentedKeys(parts.section.keys, `${indent}  `))
    } else if (key.presence === 'default') {
      lines.push(`${indent}#${name}: ${key.kind.show(key.default)}`)
    } else {
      lines.push(`${indent}# ${name}: …`)
    }
  }
  return lines
}

/** A whole section that is left out unless someone uncomments it. */
export function commentedSection(name: string, meaning: string, keys: Keys): string[] {
  return [...prose(meaning, ''), `#${name}:`, ...commentedKeys(keys, '  ')]
}

/** Comment lines of at most a hundred characters. */
export function prose(text: string, indent: string): string[] {
  const lines: string[] = []
  let line = `${indent}#`
  for (const word of text.replaceAll('`', '').split(' ')) {
    if (line.length + 1 + word.length > 100) {
      lines.push(line)
      line = `${indent}#`
    }
    line += ` ${word}`
  }
  return [...lines, line]
}
