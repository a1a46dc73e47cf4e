const longestCompared = 64

/** The word a misspelt one was probably meant to be: closest by edits, near enough to be worth suggesting. */
export function nearestWord(misspelt: string, words: Iterable<string>): string | undefined {
  if (misspelt.length > longestCompared) return undefined
  const wanted = misspelt.toLowerCase()
  let nearest: string | undefined
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1
  for (const word of words) {
    const edits = editDistance(wanted, word.toLowerCase(), fewest)
    if (edits >= fewest) continue
    fewest = edits
    nearest = word
  }
  return nearest
}

/** How many insertions, deletions, replacements and swaps of neighbours lie between two words; `limit` ends it early. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (isSame ? 0 : 1))
      const isSwapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (isSwapped) edits = Math.min(edits, beforeLast[column - 2]! + 1)
      current.push(edits)
    }
    beforeLast = last
    last = current
  }
  return last[b.length]!
}
