/**
 * Says where and why a text is not JSON. Runs only after the real parser has refused it, because that parser's own
 * message quotes the text around the mistake, and a body may hold a password.
 */

/** The mistake in a text that is known not to be JSON; the text must not be nested deeply. */
export function describeSyntaxError(text: string): string {
  try {
    const end = endOfValue(text, skip(text, 0))
    fail(skip(text, end), 'the end')
  } catch (error) {
    if (!(error instanceof Mistake)) throw error
    if (error.at >= text.length) return 'unexpected EOF'
    const before = text.slice(0, error.at)
    const line = before.split('\n').length
    const column = error.at - before.lastIndexOf('\n')
    return `invalid character ${shown(text, error.at)} at line ${line} column ${column}, wanted ${error.wanted}`
  }
  return 'it is not JSON'
}

class Mistake extends Error {
  readonly at: number
  readonly wanted: string

  constructor(at: number, wanted: string) {
    super(wanted)
    this.at = at
    this.wanted = wanted
  }
}

function fail(at: number, wanted: string): never {
  throw new Mistake(at, wanted)
}

function shown(text: string, at: number): string {
  const code = text.codePointAt(at) as number
  if (code > 0x20 && code !== 0x7f && code < 0x80) return `'${String.fromCodePoint(code)}'`
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

function skip(text: string, from: number): number {
  let at = from
  while (' \n\r\t'.includes(text[at] ?? 'x')) at++
  return at
}

function endOfValue(text: string, at: number): number {
  const first = text[at]
  if (first === '{') return endOfObject(text, at)
  if (first === '[') return endOfArray(text, at)
  if (first === '"') return endOfString(text, at, 'a value')
  if (first !== undefined && '-0123456789'.includes(first)) return endOfNumber(text, at)
  for (const word of ['true', 'false', 'null']) if (word[0] === first) return endOfWord(text, at, word)
  return fail(at, 'a value')
}

function endOfObject(text: string, from: number): number {
  let at = skip(text, from + 1)
  if (text[at] === '}') return at + 1
  for (;;) {
    at = skip(text, endOfString(text, at, 'a key in double quotes'))
    if (text[at] !== ':') fail(at, "':' after the key")
    at = skip(text, endOfValue(text, skip(text, at + 1)))
    if (text[at] === '}') return at + 1
    if (text[at] !== ',') fail(at, "',' or '}' after the member")
    at = skip(text, at + 1)
  }
}

function endOfArray(text: string, from: number): number {
  let at = skip(text, from + 1)
  if (text[at] === ']') return at + 1
  for (;;) {
    at = skip(text, endOfValue(text, at))
    if (text[at] === ']') return at + 1
    if (text[at] !== ',') fail(at, "',' or ']' after the element")
    at = skip(text, at + 1)
  }
}

function endOfString(text: string, from: number, wanted: string): number {
  if (text[from] !== '"') fail(from, wanted)
  for (let at = from + 1; ; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (Number.isNaN(code)) fail(at, 'the end of a string')
    if (code < 0x20) fail(at, 'no control character in a string')
    if (code === 0x5c) at = endOfEscape(text, at + 1)
  }
}

/** The index of the last character of an escape. */
function endOfEscape(text: string, at: number): number {
  if (text[at] !== 'u') return at < text.length && '"\\/bfnrt'.includes(text[at] as string) ? at : fail(at, 'an escape')
  for (let digit = at + 1; digit <= at + 4; digit++) {
    if (!'0123456789abcdefABCDEF'.includes(text[digit] ?? 'x')) fail(digit, 'four hexadecimal digits')
  }
  return at + 4
}

function endOfNumber(text: string, from: number): number {
  let at = text[from] === '-' ? from + 1 : from
  at = text[at] === '0' ? at + 1 : endOfDigits(text, at)
  if (text[at] === '.') at = endOfDigits(text, at + 1)
  if (text[at] === 'e' || text[at] === 'E') at = endOfDigits(text, '+-'.includes(text[at + 1] ?? 'x') ? at + 2 : at + 1)
  return at
}

function endOfDigits(text: string, from: number): number {
  let at = from
  while ('0123456789'.includes(text[at] ?? 'x')) at++
  return at > from ? at : fail(at, 'a digit')
}

function endOfWord(text: string, at: number, word: string): number {
  for (let i = 0; i < word.length; i++) if (text[at + i] !== word[i]) fail(at + i, word)
  return at + word.length
}
