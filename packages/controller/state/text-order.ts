/**
 * Text in the order of its UTF-8 bytes, as the peers sort. Plain `<` on strings compares UTF-16 units, which differs only
 * where a surrogate meets U+E000 or above; this mends exactly that.
 */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at)
    const y = b.charCodeAt(at)
    if (x === y) continue
    const isSurrogateX = x >= 0xd800 && x <= 0xdfff
    const isSurrogateY = y >= 0xd800 && y <= 0xdfff
    return isSurrogateX === isSurrogateY ? x - y : isSurrogateX ? 1 : -1
  }
  return a.length - b.length
}
