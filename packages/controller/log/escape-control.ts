/** Line breaks, control characters, and what reorders text: nothing of it may stand raw in a line of output. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Replaces what would break a line or a terminal by its escape. */
export function escapeControl(text: string): string {
  return text.replace(CONTROL, (character) => {
    if (character === '\n') return '\\n'
    if (character === '\r') return '\\r'
    if (character === '\t') return '\\t'
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
