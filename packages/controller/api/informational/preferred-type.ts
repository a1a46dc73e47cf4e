/** Which of several media types a client likes best. */
import { ApiError } from '../../operation/api-error.ts'

/** The offered type with the highest quality in `Accept`, the first one when several are equal; throws 406 for none. */
export function preferredType(accept: string | undefined, offered: readonly [string, ...string[]]): string {
  if (accept === undefined || accept.trim() === '') return offered[0]
  const ranges = accept.split(',').map(readRange)
  let best: { readonly type: string; readonly quality: number } | undefined
  for (const type of offered) {
    const quality = qualityOf(type, ranges)
    if (quality > (best?.quality ?? 0)) best = { type, quality }
  }
  if (best !== undefined) return best.type
  const reason = `unsupported media type requested, only [${offered.join(' ')}] are available`
  throw new ApiError('COULD_NOT_VALIDATE', { status: 406, cause: { field: 'Accept', reason, value: accept } })
}

interface MediaRange {
  readonly type: string
  readonly quality: number
}

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const quality = parameters.find((parameter) => parameter.startsWith('q='))
  return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) || 0 }
}

/** The most specific range that fits decides. */
function qualityOf(type: string, ranges: readonly MediaRange[]): number {
  for (const wanted of [type, `${type.slice(0, type.indexOf('/'))}/*`, '*/*']) {
    const range = ranges.find((candidate) => candidate.type === wanted)
    if (range !== undefined) return range.quality
  }
  return 0
}
