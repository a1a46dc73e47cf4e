/** IP addresses between text and the octets certificates carry. */
import { isIPv4, isIPv6 } from 'node:net'

/** Four or sixteen octets; undefined for anything that is not a plain address (zones included). */
export function parseIpAddress(text: string): Buffer | undefined {
  if (isIPv4(text)) return Buffer.from(text.split('.').map(Number))
  if (!isIPv6(text) || text.includes('%')) return undefined
  const [head = '', tail] = text.split('::')
  const front = groupsOf(head)
  const back = tail === undefined ? [] : groupsOf(tail)
  const octets = Buffer.alloc(16)
  front.forEach((group, index) => {
    octets.writeUInt16BE(group, index * 2)
  })
  back.forEach((group, index) => {
    octets.writeUInt16BE(group, 16 - (back.length - index) * 2)
  })
  return octets
}

/** The canonical text (RFC 5952) of four or sixteen octets. */
export function formatIpAddress(octets: Uint8Array): string {
  if (octets.length === 4) return octets.join('.')
  const groups = Array.from({ length: 8 }, (_, index) => (octets[index * 2]! << 8) | octets[index * 2 + 1]!)
  const gap = longestZeroRun(groups)
  const hex = groups.map((group) => group.toString(16))
  if (gap.length < 2) return hex.join(':')
  return `${hex.slice(0, gap.start).join(':')}::${hex.slice(gap.start + gap.length).join(':')}`
}

function groupsOf(part: string): number[] {
  if (part === '') return []
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)]
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number)
    return [(a << 8) | b, (c << 8) | d]
  })
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  let start = 0
  groups.forEach((group, index) => {
    if (group !== 0) start = index + 1
    else if (index + 1 - start > best.length) best = { start, length: index + 1 - start }
  })
  return best
}
