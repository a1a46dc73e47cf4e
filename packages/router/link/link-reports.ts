/**
 * Tells controllers of links. Each controller gets everything in the order in which it happened; at the start of its
 * channel, and whenever a message could not be sent, it gets all links anew: what is not among them is gone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { WireLog } from '@weft/wire'
import type { ControlMessageInit, RouterLink } from '@weft/wire/messages'
import type { ControllerConnection } from '../control/controller-connection.ts'
import { type Link, type LinkConnState, routerLinkOf } from './link.ts'

/** What follows the links of a router. */
export interface LinkFollower {
  established(link: Link): void
  changed(link: Link, state: LinkConnState): void
  failed(link: Link): void
  /** Another link for the same key has taken its place. */
  duplicate(link: Link): void
}

export interface LinkReportsDeps {
  /** The links that this router dialled and uses. */
  readonly dialedLinks: () => Iterable<Link>
  /** Counts links that have failed. */
  readonly faults: { mark(): void }
  readonly log: WireLog
}

type Report =
  | { readonly kind: 'links'; readonly link: RouterLink }
  | { readonly kind: 'state'; readonly body: ControlMessageInit<'linkState'>['body'] }
  | { readonly kind: 'fault'; readonly body: ControlMessageInit<'fault'>['body'] }

const wireTimeout = 10_000
const retryAfter = 1_000
/** A controller that is so far behind is told everything anew. */
const mostWaiting = 1_000

interface Outbox {
  reports: Report[]
  isRefreshDue: boolean
  isSending: boolean
}

export class LinkReports implements LinkFollower {
  readonly #deps: LinkReportsDeps
  readonly #outboxes = new Map<ControllerConnection, Outbox>()

  constructor(deps: LinkReportsDeps) {
    this.#deps = deps
  }

  /** Tells everything to a controller that has just connected, and what happens from now on. */
  add(connection: ControllerConnection): void {
    const outbox = { reports: [], isRefreshDue: true, isSending: false }
    this.#outboxes.set(connection, outbox)
    this.#flush(connection, outbox)
  }

  remove(connection: ControllerConnection): void {
    this.#outboxes.delete(connection)
  }

  /** Whether all controllers have been told everything. */
  get isDone(): boolean {
    return [...this.#outboxes.values()].every(({ isSending }) => !isSending)
  }

  established(link: Link): void {
    // Only the dialer reports a link.
    if (link.facts.isDialed) this.#report({ kind: 'links', link: routerLinkOf(link) })
  }

  changed(link: Link, connState: LinkConnState): void {
    if (!link.facts.isDialed) return
    this.#report({ kind: 'state', body: { linkId: link.id, linkIteration: link.facts.iteration, connState } })
  }

  failed(link: Link): void {
    this.#fault('LinkFault', link.id, link.facts.iteration)
  }

  duplicate(link: Link): void {
    this.#fault('LinkDuplicate', link.id, link.facts.iteration)
  }

  /** A link that a controller believes in, and this router does not know. */
  unknown(linkId: string): void {
    this.#fault('LinkFault', linkId, 0)
  }

  #fault(subject: 'LinkFault' | 'LinkDuplicate', id: string, iteration: number): void {
    if (subject === 'LinkFault') this.#deps.faults.mark()
    this.#report({ kind: 'fault', body: { subject, id, iteration } })
  }

  #report(report: Report): void {
    for (const [connection, outbox] of this.#outboxes) {
      if (outbox.isRefreshDue && report.kind !== 'fault') continue
      outbox.reports.push(report)
      if (outbox.reports.length > mostWaiting) renew(outbox)
      this.#flush(connection, outbox)
    }
  }

  #flush(connection: ControllerConnection, outbox: Outbox): void {
    if (outbox.isSending) return
    outbox.isSending = true
    this.#send(connection, outbox).finally(() => {
      outbox.isSending = false
    })
  }

  async #send(connection: ControllerConnection, outbox: Outbox): Promise<void> {
    // What happens in this turn goes out in one message.
    await Promise.resolve()
    const options = { timeoutMilliseconds: wireTimeout }
    while (this.#outboxes.get(connection) === outbox && !connection.channel.isClosed) {
      try {
        if (outbox.isRefreshDue) {
          outbox.isRefreshDue = false
          const links = [...this.#deps.dialedLinks()].map(routerLinkOf)
          await connection.send('routerLinks', { body: { links, fullRefresh: true } }, options)
          continue
        }
        const [next] = outbox.reports
        if (next === undefined) return
        if (next.kind === 'links') {
          const links = takeWhile(outbox.reports, (report) => report.kind === 'links').map(({ link }) => link)
          await connection.send('routerLinks', { body: { links } }, options)
          continue
        }
        outbox.reports.shift()
        if (next.kind === 'state') await connection.send('linkState', { body: next.body }, options)
        else await connection.send('fault', { body: next.body }, options)
      } catch (err) {
        renew(outbox)
        if (connection.channel.isClosed) return
        this.#deps.log.warn('links not reported', { controller: connection.controllerId, err })
        await sleep(retryAfter, undefined, { ref: false })
      }
    }
  }
}

function renew(outbox: Outbox): void {
  outbox.reports = []
  outbox.isRefreshDue = true
}

function takeWhile<T, S extends T>(list: T[], is: (element: T) => element is S): S[] {
  const end = list.findIndex((element) => !is(element))
  return list.splice(0, end < 0 ? list.length : end).filter(is)
}
