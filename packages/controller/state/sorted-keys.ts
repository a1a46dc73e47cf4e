/**
 * A sorted set of text keys in chunks, so that an insert into a hundred thousand moves a few hundred.
 *
 * Order is by UTF-8 bytes, as the peers sort. Plain `<` on strings compares UTF-16 units, which differs only where a
 * surrogate meets U+E000 or above; `compareText` mends exactly that.
 */
const CHUNK = 512

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

export class SortedKeys {
  #chunks: string[][] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Takes keys in any order at once: what loading does. */
  fill(keys: Iterable<string>): void {
    const all = [...keys].sort(compareText)
    this.#chunks = []
    for (let at = 0; at < all.length; at += CHUNK) this.#chunks.push(all.slice(at, at + CHUNK))
    this.#size = all.length
  }

  add(key: string): void {
    const chunks = this.#chunks
    if (chunks.length === 0) {
      chunks.push([key])
      this.#size = 1
      return
    }
    const at = this.#chunkFor(key)
    const chunk = chunks[at]!
    const place = lowerBound(chunk, key)
    if (chunk[place] === key) return
    chunk.splice(place, 0, key)
    this.#size++
    if (chunk.length > CHUNK * 2) chunks.splice(at, 1, chunk.slice(0, CHUNK), chunk.slice(CHUNK))
  }

  delete(key: string): void {
    if (this.#chunks.length === 0) return
    const at = this.#chunkFor(key)
    const chunk = this.#chunks[at]!
    const place = lowerBound(chunk, key)
    if (chunk[place] !== key) return
    chunk.splice(place, 1)
    this.#size--
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  *[Symbol.iterator](): Generator<string> {
    for (const chunk of this.#chunks) yield* chunk
  }

  /** The last chunk whose first key is not above the key, or the first chunk. */
  #chunkFor(key: string): number {
    let low = 0
    let high = this.#chunks.length - 1
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (compareText(this.#chunks[middle]![0]!, key) <= 0) low = middle
      else high = middle - 1
    }
    return low
  }
}

function lowerBound(chunk: readonly string[], key: string): number {
  let low = 0
  let high = chunk.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareText(chunk[middle]!, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}
