/** What a controller answers, in the envelope of its APIs: data, or a refusal with code and reason. */
import { isRecord } from '../section-reader.ts'
import { EnrollError, type Refusal } from './enroll-error.ts'
import type { PinnedAnswer } from './https-transport.ts'

const maxWords = 500

/** The `data` of an answer; a refusal is thrown as `REFUSED`. */
export function readData(answer: PinnedAnswer): Record<string, unknown> {
  if (answer.status !== 200) throw refused(answer)
  const data = parsed(answer)?.['data']
  if (!isRecord(data)) throw new EnrollError('BAD_ANSWER', 'it holds no data')
  return data
}

/** The refusal that an answer is. */
export function refused(answer: PinnedAnswer): EnrollError {
  const error = parsed(answer)?.['error']
  const { code, message, cause } = isRecord(error) ? error : {}
  const reason = isRecord(cause) ? (cause['message'] ?? cause['reason']) : undefined
  const refusal: Refusal = {
    status: answer.status,
    code: printable(code),
    message: [printable(message), printable(reason)].filter((text) => text !== '').join(': '),
    retryAfter: readRetryAfter(answer.headers['retry-after']),
  }
  const shown = [refusal.code, refusal.message].filter((text) => text !== '').join(', ')
  return new EnrollError('REFUSED', shown === '' ? `status ${refusal.status}` : shown, { refusal })
}

function parsed({ body }: PinnedAnswer): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return isRecord(value) ? value : undefined
  } catch {
    // What is no JSON has nothing to say; the caller reports that.
    return undefined
  }
}

/** Goes to terminals and logs. */
function printable(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, maxWords).replace(/[\p{Cc}\p{Cf}]+/gu, ' ') : ''
}

function readRetryAfter(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined
}
