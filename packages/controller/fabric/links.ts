/**
 * The links between routers, by id.
 *
 * A link belongs to the router that dialled it, its source: only that one reports it, and a report about a link of another
 * is passed over. Either end may say that it failed or how long it takes. Reports come over a connection, and count only
 * while that is the one its router has.
 */
import type { ConnectedRouters } from './connected-routers.ts'
import { Followers } from './followers.ts'
import { Link, type LinkConnState, type ReportedLink } from './link.ts'
import type { RouterConnection } from './router-connection.ts'

/** Of one source: fifty times what it has in a large mesh. */
const MOST_LINKS = 20_000

/**
 * Why a link is gone: an end said so, its dialer opened it anew, an administrator deleted it, or its dialer, who alone
 * reports it, is no longer connected.
 */
export type LinkRemovalCause = 'fault' | 'duplicate' | 'replaced' | 'deleted' | 'source offline'

/** Of what is not in the table, or may not be, only the id is told. */
export type LinkEvent =
  | { readonly type: 'new' | 'known' | 'changed'; readonly link: Link }
  | { readonly type: 'removed'; readonly link: Link; readonly why: LinkRemovalCause }
  | { readonly type: 'destination offline' | 'unknown fault'; readonly linkId: string; readonly reportedBy: string }
  | { readonly type: 'connections'; readonly linkId: string; readonly connState: LinkConnState }

export interface LinksDeps {
  readonly routers: ConnectedRouters
  /** Told of every change on which paths depend, before followers are. */
  readonly topology: LinkGraph
}

/** Whoever keeps the cheapest link of each pair of routers. */
export interface LinkGraph {
  addLink(link: Link): void
  removeLink(link: Link): void
  linkChanged(link: Link): void
}

export interface LinksOptions {
  readonly initialLinkLatency: number
}

export interface LinkSettings {
  readonly staticCost?: number
  readonly isDown?: boolean
}

export interface RouterLinks {
  readonly links: readonly ReportedLink[]
  /** Whether these are all; others of the router are gone then. */
  readonly isFullRefresh: boolean
}

export interface LinkFaultReport {
  readonly linkId: string
  /** 0 where the reporter does not know it. */
  readonly iteration: number
  readonly isDuplicate: boolean
}

/** The id of a link, and what one end measured, in nanoseconds: the means of latency and queue time together. */
export type MeasuredLatency = readonly [string, number]

export class Links {
  readonly #deps: LinksDeps
  readonly #initialLatency: number
  readonly #links = new Map<string, Link>()
  readonly #ofRouter = new Map<string, Set<Link>>()
  readonly #followers = new Followers<LinkEvent>()

  constructor(deps: LinksDeps, { initialLinkLatency }: LinksOptions) {
    this.#deps = deps
    this.#initialLatency = initialLinkLatency * 1_000_000
  }

  get size(): number {
    return this.#links.size
  }

  get(linkId: string): Link | undefined {
    return this.#links.get(linkId)
  }

  all(): IteratorObject<Link> {
    return this.#links.values()
  }

  /** Those of which a router is an end. */
  ofRouter(routerId: string): readonly Link[] {
    return [...(this.#ofRouter.get(routerId) ?? [])]
  }

  /** Answers with the ids that were passed over: links of other routers, of the router with itself, or too many. */
  report(connection: RouterConnection, { links, isFullRefresh }: RouterLinks): readonly string[] {
    if (!this.#deps.routers.isCurrent(connection)) return []
    const { routerId } = connection
    if (isFullRefresh) this.#endUnlisted(routerId, links)
    let room = MOST_LINKS - this.ofRouter(routerId).length
    const refused: string[] = []
    for (const reported of links) {
      const known = this.#links.get(reported.id)
      const isForeign = known !== undefined && known.sourceRouterId !== routerId
      if (isForeign || reported.destRouterId === routerId || (known === undefined && --room < 0)) {
        refused.push(reported.id)
        continue
      }
      this.#take(routerId, reported, known)
    }
    return refused
  }

  /** Taken only for the link as it is dialled now; told to followers in any case. */
  connectionsChanged(connection: RouterConnection, linkId: string, iteration: number, connState: LinkConnState): void {
    if (!this.#deps.routers.isCurrent(connection)) return
    const link = this.#links.get(linkId)
    if (link !== undefined && link.sourceRouterId !== connection.routerId) return
    if (link?.iteration === iteration) link.takeConnState(connState)
    this.#followers.tell({ type: 'connections', linkId, connState })
  }

  /**
   * A link failed, or is one too many. The other end of a link that was in use is told of its failure; of a duplicate
   * nobody is told, its ends keep it open for a while so that circuits can move.
   */
  fault(connection: RouterConnection, { linkId, iteration, isDuplicate }: LinkFaultReport): void {
    const { routerId } = connection
    if (!this.#deps.routers.isCurrent(connection)) return
    const link = this.#links.get(linkId)
    if (link === undefined) {
      this.#followers.tell({ type: 'unknown fault', linkId, reportedBy: routerId })
      return
    }
    if (!link.isEnd(routerId) || (iteration > 0 && iteration < link.iteration)) return
    this.#remove(link, isDuplicate ? 'duplicate' : 'fault')
    if (link.isUsable && !isDuplicate) this.#tellFault(link.otherEnd(routerId), linkId, iteration)
  }

  /** Latencies that a router measured; those of links of which it is no end change nothing. */
  measured(connection: RouterConnection, latencies: Iterable<MeasuredLatency>): void {
    if (!this.#deps.routers.isCurrent(connection)) return
    const { routerId } = connection
    for (const [linkId, nanoseconds] of latencies) {
      const link = this.#links.get(linkId)
      if (link === undefined || !link.isEnd(routerId) || !(nanoseconds >= 0)) continue
      const { cost } = link
      link.setLatency(routerId === link.sourceRouterId ? 'source' : 'dest', nanoseconds)
      if (link.cost !== cost) this.#deps.topology.linkChanged(link)
    }
  }

  /** An administrator's settings; they last until the link is dialled anew. */
  adjust(linkId: string, { staticCost, isDown }: LinkSettings): void {
    const link = this.#links.get(linkId)
    if (link === undefined) return
    if (staticCost !== undefined) link.setStaticCost(staticCost)
    if (isDown !== undefined) link.setDown(isDown)
    this.#deps.topology.linkChanged(link)
    this.#followers.tell({ type: 'changed', link })
  }

  /** At the wish of an administrator: its ends close it, and may dial again. Of an unknown link every router is told. */
  remove(linkId: string): void {
    const link = this.#links.get(linkId)
    if (link === undefined) {
      for (const { connection } of this.#deps.routers.all()) connection.sendLinkFault(linkId, 0)
      return
    }
    this.#remove(link, 'deleted')
    this.#tellFault(link.sourceRouterId, linkId, link.iteration)
    this.#tellFault(link.destRouterId, linkId, link.iteration)
  }

  /** Removes what a router dialled: nobody reports it any more. */
  removeOfSource(routerId: string): readonly Link[] {
    const gone = this.ofRouter(routerId).filter(({ sourceRouterId }) => sourceRouterId === routerId)
    for (const link of gone) this.#remove(link, 'source offline')
    return gone
  }

  follow(follower: (event: LinkEvent) => void): () => void {
    return this.#followers.add(follower)
  }

  #endUnlisted(routerId: string, listed: readonly ReportedLink[]): void {
    const ids = new Set(listed.map(({ id }) => id))
    for (const link of this.ofRouter(routerId)) {
      if (link.sourceRouterId === routerId && !ids.has(link.id)) this.#remove(link, 'fault')
    }
  }

  #take(routerId: string, reported: ReportedLink, known: Link | undefined): void {
    if (!this.#deps.routers.isOnline(reported.destRouterId)) {
      this.#followers.tell({ type: 'destination offline', linkId: reported.id, reportedBy: routerId })
    }
    if (known !== undefined && known.iteration >= reported.iteration) {
      this.#followers.tell({ type: 'known', link: known })
      return
    }
    if (known !== undefined) this.#remove(known, 'replaced')
    const link = new Link(routerId, reported, this.#initialLatency)
    this.#links.set(link.id, link)
    this.#linksAt(routerId).add(link)
    this.#linksAt(link.destRouterId).add(link)
    this.#deps.topology.addLink(link)
    this.#followers.tell({ type: 'new', link })
  }

  #remove(link: Link, why: LinkRemovalCause): void {
    this.#links.delete(link.id)
    for (const routerId of [link.sourceRouterId, link.destRouterId]) {
      const links = this.#ofRouter.get(routerId)
      links?.delete(link)
      if (links?.size === 0) this.#ofRouter.delete(routerId)
    }
    this.#deps.topology.removeLink(link)
    this.#followers.tell({ type: 'removed', link, why })
  }

  #tellFault(routerId: string, linkId: string, iteration: number): void {
    this.#deps.routers.get(routerId)?.connection.sendLinkFault(linkId, iteration)
  }

  #linksAt(routerId: string): Set<Link> {
    const known = this.#ofRouter.get(routerId)
    if (known !== undefined) return known
    const links = new Set<Link>()
    this.#ofRouter.set(routerId, links)
    return links
  }
}
