/**
 * What a listener sends to a peer whose first bytes are not the magic of version 2. It is no frame:
 *
 *   03 06 09 0a   count uint32   that many versions uint32
 */
const magic = 0x0306090a

/** Version 1 is still named, as by the Go peer, and spoken by nobody. */
export const supportedVersions: readonly number[] = [1, 2]

const maxVersions = 64

export function encodeVersionAnswer(versions: readonly number[] = supportedVersions): Buffer {
  const answer = Buffer.alloc(8 + 4 * versions.length)
  answer.writeUInt32BE(magic, 0)
  answer.writeUInt32LE(versions.length, 4)
  versions.forEach((version, index) => {
    answer.writeUInt32LE(version, 8 + 4 * index)
  })
  return answer
}

/** The versions a peer offers; undefined when the bytes are something else, or too many, or too few. */
export function decodeVersionAnswer(bytes: Buffer): readonly number[] | undefined {
  if (bytes.length < 8 || bytes.readUInt32BE(0) !== magic) return undefined
  const count = bytes.readUInt32LE(4)
  if (count > maxVersions || bytes.length < 8 + 4 * count) return undefined
  return Array.from({ length: count }, (_, index) => bytes.readUInt32LE(8 + 4 * index))
}
