/** What is sent of an answer: packed where the client says that it can unpack, and it is worth it. */
import { constants, gzipSync } from 'node:zlib'

export interface PackedBody {
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** Below this it fits a packet anyway. */
const smallest = 200

/** `accepted` is the header `accept-encoding`. */
export function packedBody(body: string, accepted: string | undefined): PackedBody {
  const bytes = Buffer.from(body)
  const vary = { vary: 'accept-encoding' }
  if (bytes.length < smallest || !takesGzip(accepted ?? '')) return { bytes, headers: vary }
  return {
    bytes: gzipSync(bytes, { level: constants.Z_BEST_SPEED }),
    headers: { ...vary, 'content-encoding': 'gzip' },
  }
}

function takesGzip(accepted: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .some((item) => /^\s*gzip\s*(?:;(?!\s*q=0(?:\.0*)?\s*$).*)?$/u.test(item))
}
