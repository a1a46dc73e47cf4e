/**
 * Links that routers trace because circuits over them are traced. A router traces a link as long as one such circuit runs
 * over it, and is told again when it comes back.
 */
import type { ConnectedRouters } from '../../fabric/connected-routers.ts'
import type { RoutedPath } from '../../fabric/route-message.ts'
import type { Logger } from '../../log/logger.ts'
import type { ControlConnection } from '../control-connection.ts'

export interface LinkWatchesDeps {
  readonly routers: ConnectedRouters
  readonly log: Logger
}

const ANSWER_MILLISECONDS = 5_000
/** More ends of links than circuits that are traced at one time have. */
const MOST_ASKED = 10_000

/** One end of a link. */
interface LinkEnd {
  readonly routerId: string
  readonly linkId: string
  readonly circuitIds: Set<string>
}

export class LinkWatches {
  readonly #deps: LinkWatchesDeps
  readonly #ends = new Map<string, LinkEnd>()
  /** Ends that were asked for at any time: of one that is left, records may still be on their way. */
  readonly #asked = new Set<string>()

  constructor(deps: LinkWatchesDeps) {
    this.#deps = deps
  }

  /**
   * Whether a channel of a router is traced for circuits, or was. Links are called `l/<id>` at one end and `link/<id>` at
   * the other.
   */
  has(routerId: string, channelName: string): boolean {
    return this.#asked.has(keyOf(routerId, channelName.slice(channelName.indexOf('/') + 1)))
  }

  /** The way of a circuit now; undefined when nobody watches it any more. */
  set(circuitId: string, path: Pick<RoutedPath, 'nodes' | 'links'> | undefined): void {
    const wanted = new Map(endsOf(path).map((end) => [keyOf(...end), end] as const))
    for (const [key, end] of [...this.#ends]) {
      if (wanted.has(key) || !end.circuitIds.delete(circuitId) || end.circuitIds.size > 0) continue
      this.#ends.delete(key)
      this.#ask(end, false)
    }
    for (const [key, [routerId, linkId]] of wanted) {
      const known = this.#ends.get(key)
      known?.circuitIds.add(circuitId)
      if (known !== undefined) continue
      const end = { routerId, linkId, circuitIds: new Set([circuitId]) }
      this.#ends.set(key, end)
      this.#note(key)
      this.#ask(end, true)
    }
  }

  /** Asks again for what a router has forgotten, or what somebody else has told it to leave. */
  renew(isMeant: (routerId: string) => boolean): void {
    for (const end of this.#ends.values()) if (isMeant(end.routerId)) this.#ask(end, true)
  }

  #note(key: string): void {
    this.#asked.add(key)
    if (this.#asked.size <= MOST_ASKED) return
    const [oldest] = this.#asked
    this.#asked.delete(oldest!)
  }

  #ask({ routerId, linkId }: LinkEnd, enable: boolean): void {
    const connection = this.#deps.routers.get(routerId)?.connection as ControlConnection | undefined
    const body = { enable, verbosity: 'ReportNone', appRegex: '.*', pipeRegex: `/${escaped(linkId)}$` } as const
    connection
      ?.request('togglePipeTraces', { body }, { timeoutMilliseconds: ANSWER_MILLISECONDS, queue: 'low' })
      .catch((err) => this.#deps.log.warn('a router does not trace a link', { router: routerId, link: linkId, err }))
  }
}

function endsOf(path: Pick<RoutedPath, 'nodes' | 'links'> | undefined): readonly (readonly [string, string])[] {
  return (path?.links ?? []).flatMap((link, at) => [
    [path!.nodes[at]!, link] as const,
    [path!.nodes[at + 1]!, link] as const,
  ])
}

function keyOf(routerId: string, linkId: string): string {
  return `${routerId} ${linkId}`
}

/** As a pattern that means nothing but itself. */
function escaped(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9]/g, '\\$&')
}
