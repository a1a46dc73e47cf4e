/**
 * How large the program of a regular expression becomes, told before it is compiled.
 *
 * Counted repetitions are written out by the compiler, so eleven characters can stand for a million instructions. The
 * scan follows the syntax only as far as repetition goes; what it misreads it counts too high, never too low.
 */

/** What every pattern costs beside its instructions: its objects and its part of the matcher's cache. */
const baseWeight = 100
/** A Unicode class (`\pL`) holds hundreds of ranges. */
const unicodeClassWeight = 40

/** An upper estimate of the instructions of a pattern, plus a share for what each pattern costs anyway. */
export function patternWeight(source: string): number {
  const groups: number[] = []
  let total = 0 // of the group being read
  let last = 0 // of its last atom, the one a repetition repeats
  const add = (weight: number) => {
    last = weight
    total += weight
  }
  for (let at = 0; at < source.length; ) {
    const char = source[at]
    if (char === '\\') {
      const end = escapeEnd(source, at)
      add(source.startsWith('\\Q', at) ? end - at : /^\\[pP]/.test(source.slice(at, at + 2)) ? unicodeClassWeight : 1)
      at = end
    } else if (char === '[') {
      const end = classEnd(source, at)
      const unicodeClasses = source.slice(at, end).match(/\\[pP]/g)?.length ?? 0
      add(1 + unicodeClassWeight * unicodeClasses)
      at = end
    } else if (char === '(') {
      groups.push(total)
      total = 2
      at++
    } else if (char === ')') {
      const group = total
      total = groups.pop() ?? 0
      add(group)
      at++
    } else if (char === '{') {
      const repetition = /^\{(\d{1,4})(,(\d{0,4}))?\}/.exec(source.slice(at, at + 12))
      const times = repetition === null ? 1 : Math.max(Number(repetition[1]), Number(repetition[3] ?? 0), 1)
      const repeated = (last + 1) * times
      total += repeated
      last += repeated
      at += repetition === null ? 1 : repetition[0].length
    } else {
      if (char === '*' || char === '+' || char === '?' || char === '|') {
        total += 2
        last += 2
      } else add(1)
      at++
    }
  }
  return baseWeight + source.length + total + groups.reduce((sum, weight) => sum + weight, 0)
}

function escapeEnd(source: string, at: number): number {
  if (source.startsWith('\\Q', at)) {
    const end = source.indexOf('\\E', at + 2)
    return end < 0 ? source.length : end + 2
  }
  if (/^\\[pPx]\{/.test(source.slice(at, at + 3))) {
    const end = source.indexOf('}', at)
    return end < 0 ? source.length : end + 1
  }
  return at + 2
}

function classEnd(source: string, start: number): number {
  let at = start + 1
  if (source[at] === '^') at++
  if (source[at] === ']') at++ // a bracket in first place stands for itself
  while (at < source.length && source[at] !== ']') {
    if (source[at] === '\\') at += 2
    else if (source.startsWith('[:', at)) {
      const end = source.indexOf(':]', at + 2)
      at = end < 0 ? at + 1 : end + 2
    } else at++
  }
  return at + 1
}
