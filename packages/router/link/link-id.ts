/** Ids of links, as every router makes them: a random UUID as a number of base 62. */
import { randomBytes } from 'node:crypto'

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

export function newLinkId(random: (size: number) => Buffer = randomBytes): string {
  const bytes = Buffer.from(random(16))
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  let left = BigInt(`0x${bytes.toString('hex')}`)
  let id = ''
  while (left > 0n) {
    id = digits[Number(left % 62n)]! + id
    left /= 62n
  }
  return id
}
