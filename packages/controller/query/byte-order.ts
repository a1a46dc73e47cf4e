/**
 * Text in the order of its UTF-8 bytes, which is the order of code points. JavaScript compares UTF-16 units, which
 * differs where a surrogate meets a character from U+E000 on.
 */

/** Negative, zero or positive as `a` sorts before, with or after `b`. */
export function compareBytes(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let at = 0; at < shared; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Whether `<` and `>` order any text relative to this one by bytes: it must hold no unit that ranks otherwise. */
export function isUnitOrdered(text: string): boolean {
  return !/[\ud800-\uffff]/.test(text)
}

function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
