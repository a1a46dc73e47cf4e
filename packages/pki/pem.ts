/**
 * PEM armour, read in one pass and with bounds.
 *
 * Text around blocks is ignored, as every tool that prints certificates with comments expects. A block that begins and
 * does not end, or whose base64 is damaged, is refused instead of being skipped: a half-copied file must not load as a
 * shorter chain.
 */
import { PkiError } from './pki-error.ts'

/** One block without its armour. */
export interface PemBlock {
  readonly label: string
  readonly der: Buffer
  /** True for the old OpenSSL encryption, which hides in header lines inside the block. */
  readonly isEncrypted: boolean
}

/** What a text may hold at most. */
export interface PemLimits {
  readonly bytes: number
  readonly blocks: number
}

/** For what comes from outside: a leaf with its chain is a tenth of this. */
export const pemLimits: PemLimits = { bytes: 64 * 1024, blocks: 16 }

const begin = '-----BEGIN '
const dashes = '-----'
const base64Pattern = /^[A-Za-z0-9+/]+={0,2}$/
const labelPattern = /^[A-Z0-9][A-Z0-9 ]{0,39}$/
const headerPattern = /^[A-Za-z][A-Za-z0-9-]{0,39}:/

/** All blocks of a text, in order; at least one. */
export function decodePem(text: string, limits: PemLimits = pemLimits): PemBlock[] {
  if (text.length > limits.bytes) {
    throw new PkiError('INPUT_TOO_LARGE', `${text.length} characters, at most ${limits.bytes}`)
  }
  const blocks: PemBlock[] = []
  let from = nextLineStart(text, begin, 0)
  while (from >= 0) {
    if (blocks.length === limits.blocks) throw new PkiError('TOO_MANY_BLOCKS', `at most ${limits.blocks}`)
    const labelEnd = text.indexOf(dashes, from + begin.length)
    const label = labelEnd < 0 ? '' : text.slice(from + begin.length, labelEnd)
    if (!labelPattern.test(label)) throw new PkiError('NOT_PEM', 'a BEGIN line is malformed')
    const bodyStart = labelEnd + dashes.length
    const end = `${dashes}END ${label}${dashes}`
    const bodyEnd = nextLineStart(text, end, bodyStart)
    if (bodyEnd < 0) throw new PkiError('NOT_PEM', `the block "${label}" has no END line`)
    blocks.push({ label, ...decodeBody(text.slice(bodyStart, bodyEnd), label) })
    from = nextLineStart(text, begin, bodyEnd + end.length)
  }
  if (blocks.length === 0) throw new PkiError('NOT_PEM', 'there is no BEGIN line')
  return blocks
}

/** One block in 64-column lines, with a newline at the end. */
export function encodePem(label: string, der: Uint8Array): string {
  return `${begin}${label}${dashes}\n${wrapBase64(der)}\n${dashes}END ${label}${dashes}\n`
}

/** Base64 in lines of 64 characters, without a newline at the end. */
export function wrapBase64(bytes: Uint8Array): string {
  const flat = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
  const lines: string[] = []
  for (let at = 0; at < flat.length; at += 64) lines.push(flat.slice(at, at + 64))
  return lines.join('\n')
}

function nextLineStart(text: string, marker: string, from: number): number {
  let at = text.indexOf(marker, from)
  // A marker in the middle of a line is prose; leading blanks are forgiven, because YAML authors indent.
  while (at > 0 && !startsLine(text, at)) at = text.indexOf(marker, at + 1)
  return at
}

function startsLine(text: string, at: number): boolean {
  let before = at - 1
  while (before >= 0 && (text[before] === ' ' || text[before] === '\t')) before--
  return before < 0 || text[before] === '\n' || text[before] === '\r'
}

function decodeBody(body: string, label: string): { der: Buffer; isEncrypted: boolean } {
  const lines = body.split(/\r\n|\n|\r/).map((line) => line.trim())
  let isEncrypted = false
  let data = ''
  for (const line of lines) {
    if (headerPattern.test(line)) isEncrypted ||= line.startsWith('Proc-Type:') && line.endsWith('ENCRYPTED')
    else data += line
  }
  if (data.length % 4 !== 0 || !base64Pattern.test(data)) {
    throw new PkiError('NOT_PEM', `the block "${label}" is not base64`)
  }
  return { der: Buffer.from(data, 'base64'), isEncrypted }
}
