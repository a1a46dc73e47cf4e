/** Links and circuits as operators see and handle them: plain records. */
import { timestamp } from '../clock.ts'
import type { Circuit } from './circuit.ts'
import type { Fabric } from './fabric.ts'
import type { Link } from './link.ts'
import type { LinkSettings, Links } from './links.ts'

export class OperatedLinks {
  readonly #links: Links

  constructor(links: Links) {
    this.#links = links
  }

  all() {
    return this.#links.all().map(shownLink)
  }

  get(id: string) {
    const link = this.#links.get(id)
    return link && shownLink(link)
  }

  adjust(id: string, settings: LinkSettings): void {
    this.#links.adjust(id, settings)
  }

  /** Its ends close it, and may dial again. */
  remove(id: string): void {
    this.#links.remove(id)
  }
}

export class OperatedCircuits {
  readonly #fabric: Fabric

  constructor(fabric: Fabric) {
    this.#fabric = fabric
  }

  all() {
    return this.#fabric.state.circuits.all().map(shownCircuit)
  }

  get(id: string) {
    const circuit = this.#fabric.state.circuits.get(id)
    return circuit && shownCircuit(circuit)
  }

  remove(id: string, isImmediate: boolean): void {
    this.#fabric.removal.remove(id, { when: isImmediate ? 'now' : 'when idle', reason: 'an administrator ended it' })
  }
}

function shownLink(link: Link) {
  return {
    id: link.id,
    protocol: link.protocol,
    dialAddress: link.dialAddress,
    sourceRouterId: link.sourceRouterId,
    destRouterId: link.destRouterId,
    state: link.state,
    isDown: link.isDown,
    staticCost: link.staticCost,
    sourceLatency: Math.round(link.sourceLatency),
    destLatency: Math.round(link.destLatency),
    cost: link.cost,
    iteration: link.iteration,
    connections: link.connections.map(({ type, localAddr, remoteAddr }) => {
      return { type, source: localAddr, dest: remoteAddr }
    }),
  }
}

function shownCircuit({ id, clientId, serviceId, terminator, path, createdAt, updatedAt, tags }: Circuit) {
  return {
    id,
    clientId,
    serviceId,
    terminatorId: terminator.id,
    routerIds: path.nodes,
    linkIds: path.links,
    createdAt: timestamp(createdAt),
    updatedAt: timestamp(updatedAt),
    tags,
  }
}
