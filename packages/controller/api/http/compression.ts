/**
 * Content codings of answers: which one a client prefers, and the bytes in it.
 *
 * Small answers are packed at once, since a trip through the thread pool costs more than packing them; large ones leave
 * the event loop free. Levels are low on purpose: the gain of the higher ones is not worth the time on JSON.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'

export type Coding = 'gzip' | 'deflate' | 'br'

/** Bodies below this are sent as they are: they fit a packet anyway. */
export const SMALLEST_PACKED = 200

/** From here on packing happens in the thread pool. */
const LARGEST_PACKED_AT_ONCE = 16 * 1024

const LEVEL = 3

/** The coding with the highest q-value, the first one on a tie; undefined when the client wants none that we have. */
export function preferredCoding(accepted: string): Coding | undefined {
  if (accepted === 'gzip') return 'gzip'
  let best: Coding | undefined
  let bestQuality = 0
  for (const item of accepted.split(',')) {
    const [name = '', ...parameters] = item.split(';')
    const coding = name.trim().toLowerCase()
    if (coding !== 'gzip' && coding !== 'deflate' && coding !== 'br') continue
    const quality = qualityOf(parameters)
    if (quality > bestQuality) {
      best = coding
      bestQuality = quality
    }
  }
  return best
}

function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=')
    if (name.trim().toLowerCase() !== 'q') continue
    const quality = Number(value.trim())
    return quality >= 0 && quality <= 1 ? quality : 0
  }
  return 1
}

const packLater = {
  gzip: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip),
  deflate: promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.deflate),
  br: promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress),
}

/** Packs bytes; a promise only when there are many of them. */
export function pack(coding: Coding, bytes: Buffer): Buffer | Promise<Buffer> {
  if (coding === 'br') {
    const options = { params: brotliParameters(bytes.length) }
    return bytes.length <= LARGEST_PACKED_AT_ONCE
      ? zlib.brotliCompressSync(bytes, options)
      : packLater.br(bytes, options)
  }
  if (bytes.length > LARGEST_PACKED_AT_ONCE) return packLater[coding](bytes, { level: LEVEL })
  const options = { level: LEVEL, ...windowFor(bytes.length) }
  return coding === 'gzip' ? zlib.gzipSync(bytes, options) : zlib.deflateSync(bytes, options)
}

/** Tables no larger than the input needs: zlib clears them at each start, which is half the cost on small inputs. */
function windowFor(length: number): zlib.ZlibOptions {
  let windowBits = 12
  while (1 << windowBits < length) windowBits++
  return { windowBits, memLevel: windowBits - 7, chunkSize: Math.max(1024, length >> 1) }
}

function brotliParameters(length: number): Record<number, number> {
  return {
    [zlib.constants.BROTLI_PARAM_QUALITY]: LEVEL,
    [zlib.constants.BROTLI_PARAM_SIZE_HINT]: length,
    [zlib.constants.BROTLI_PARAM_MODE]: zlib.constants.BROTLI_MODE_TEXT,
  }
}
