/**
 * Fetches a JSON document from a URL that an operator has written into the database.
 *
 * Bounded in time, size and redirects; every hop is judged like the first, by its URL before it is asked and by its address
 * when it is dialled. Connections are not reused, so none that was judged for another host is.
 */
import { lookup as resolveName } from 'node:dns'
import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { LookupFunction } from 'node:net'
import type { FetchDestinations } from './fetch-destinations.ts'

export interface FetchLimits {
  /** Milliseconds for everything, redirects included. */
  readonly timeout: number
  readonly maxRedirects: number
}

/** Why nothing usable came back. */
export class FetchError extends Error {
  readonly code = 'FETCH_FAILED'

  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'FetchError'
  }
}

const MOST_BYTES = 256 * 1_024
const jsonTypes = /^application\/(?:[a-z0-9.-]+\+)?json$/u
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Rejects with a `FetchError`, whatever went wrong. */
export async function fetchJson(
  endpoint: string,
  destinations: FetchDestinations,
  limits: FetchLimits,
): Promise<unknown> {
  const signal = AbortSignal.timeout(limits.timeout)
  try {
    let url = new URL(endpoint)
    for (let hops = 0; hops <= limits.maxRedirects; hops++) {
      const response = await ask(url, destinations, signal)
      if (!redirects.has(response.statusCode ?? 0)) return JSON.parse(await bodyOf(response))
      response.destroy()
      url = nextUrl(url, response.headers.location)
    }
    throw new FetchError(`more than ${limits.maxRedirects} redirects`)
  } catch (error) {
    if (error instanceof FetchError) throw error
    const message = signal.aborted ? `no answer within ${limits.timeout} ms` : (error as Error).message
    throw new FetchError(message, { cause: error })
  }
}

function ask(url: URL, destinations: FetchDestinations, signal: AbortSignal): Promise<IncomingMessage> {
  const refusal = destinations.refusalOfUrl(url)
  if (refusal !== undefined) throw new FetchError(refusal)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const headers = { accept: 'application/json, application/jwk-set+json', 'accept-encoding': 'identity' }
  const lookup = judgingLookup(destinations)
  const { request } = url.protocol === 'https:' ? https : http
  request(url, { agent: false, signal, headers, lookup }, resolve).on('error', reject).end()
  return promise
}

/** A name one of whose addresses may not be dialled is not dialled at all. */
function judgingLookup(destinations: FetchDestinations): LookupFunction {
  return (name, options, done) => {
    resolveName(name, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return done(error, [])
      for (const { address } of addresses) {
        const refusal = destinations.refusalOfAddress(address)
        if (refusal !== undefined) return done(new FetchError(`${name}: ${refusal}`), [])
      }
      const [first] = addresses
      if (options.all || first === undefined) done(null, addresses)
      else done(null, first.address, first.family)
    })
  }
}

function nextUrl(from: URL, location: string | undefined): URL {
  const url = location === undefined ? null : URL.parse(location, from)
  if (url === null) throw new FetchError('a redirect to nowhere')
  if (from.protocol === 'https:' && url.protocol !== 'https:') throw new FetchError('a redirect away from https')
  return url
}

async function bodyOf(response: IncomingMessage): Promise<string> {
  const { statusCode, headers } = response
  const type = headers['content-type']?.split(';')[0]?.trim().toLowerCase() ?? ''
  const problem =
    statusCode !== 200
      ? `status ${statusCode}`
      : !jsonTypes.test(type)
        ? 'the answer is not JSON by its content type'
        : (headers['content-encoding'] ?? 'identity') !== 'identity'
          ? 'the answer is compressed'
          : undefined
  if (problem !== undefined) {
    response.destroy()
    throw new FetchError(problem)
  }
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length
    // Leaving the loop ends the connection.
    if (size > MOST_BYTES) throw new FetchError(`the answer is longer than ${MOST_BYTES} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
