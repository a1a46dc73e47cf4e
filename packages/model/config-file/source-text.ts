/**
 * A file's text with the means to say where something is and to show it.
 *
 * Excerpts are what a person sees beside a message, and they end up in logs: secrets in them are starred out, with the
 * same length so that the underline still fits, and control characters never reach the terminal.
 */

/** A stretch of the text, as offsets in UTF-16 units; the end is not part of it. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** A place as editors count it: both from 1, columns in characters. */
export interface Position {
  readonly line: number
  readonly column: number
}

const widestExcerpt = 110
// Longer lines are never text someone wrote, and searching them for secrets would take its time.
const longestShown = 1_000
const secretKey = /^([\s\-{,]*["']?\w*(?:secret|password|connectionstring)["']?\s*:\s*)(\S.*)$/iu
const credentialsInUrl = /^(.*:\/\/[^/@\s]*:)([^/@\s]+)(@.*)$/u
const inlinePem = /^(.*?pem:(?!\s*$))(.*)$/u
const onlyBase64 = /^(\s*)([A-Za-z0-9+][A-Za-z0-9+/=]{39,})(\s*)$/u

export class SourceText {
  readonly fileName: string
  readonly text: string
  readonly #lineStarts: number[] = [0]

  constructor(fileName: string, text: string) {
    this.fileName = fileName
    this.text = text
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1)
  }

  /** Where an offset lies; offsets past the end lie at the end. */
  position(offset: number): Position {
    const index = this.#lineIndex(offset)
    const end = Math.min(offset, this.text.length)
    let column = 1
    for (let at = this.#lineStarts[index]!; at < end; at++) if (!isSecondHalf(this.text.charCodeAt(at))) column++
    return { line: index + 1, column }
  }

  /** The line an offset lies in, from 1: cheap even where lines are endless. */
  lineOf(offset: number): number {
    return this.#lineIndex(offset) + 1
  }

  /** The source line with an underline below the span's part on it, each behind a gutter. */
  excerpt(span: Span): string {
    const index = this.#lineIndex(span.start)
    const start = this.#lineStarts[index]!
    const nextStart = this.#lineStarts[index + 1] ?? this.text.length + 1
    const line = this.text.slice(start, nextStart - 1).replace(/\r$/u, '')
    const gutter = String(index + 1).padStart(5)
    if (line.length > longestShown) return `${gutter} | (a line of ${line.length} characters)\n      |`
    const from = Math.min(span.start - start, line.length)
    const to = Math.max(from + 1, Math.min(span.end - start, line.length))
    const shown = cutAround(starSecrets(line), from, to)
    return `${gutter} | ${printable(shown.text)}\n      | ${shown.underline}`
  }

  #lineIndex(offset: number): number {
    const within = Math.min(offset, this.text.length)
    let low = 0
    let high = this.#lineStarts.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#lineStarts[middle]! <= within) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Text as it may be shown on a terminal: control and direction-changing characters become a replacement sign. */
export function printable(text: string): string {
  return text.replace(/[^\P{C}\t]/gu, '\ufffd')
}

function isSecondHalf(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff
}

function starSecrets(line: string): string {
  for (const pattern of [secretKey, inlinePem, onlyBase64, credentialsInUrl]) {
    const found = pattern.exec(line)
    if (found) return found[1]! + '*'.repeat(found[2]!.length) + (found[3] ?? '')
  }
  return line
}

function cutAround(line: string, from: number, to: number): { text: string; underline: string } {
  let start = 0
  let end = line.length
  if (line.length > widestExcerpt) {
    start = Math.max(0, Math.min(from - 20, line.length - widestExcerpt))
    end = Math.min(line.length, start + widestExcerpt)
  }
  const before = start > 0 ? '…' : ''
  const after = end < line.length ? '…' : ''
  const indent = before.replace('…', ' ') + line.slice(start, from).replace(/[^\t]/gu, ' ')
  const width = [...line.slice(from, Math.min(to, end))].length
  return { text: before + line.slice(start, end) + after, underline: indent + '^'.repeat(Math.max(1, width)) }
}
