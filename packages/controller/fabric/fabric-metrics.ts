/** What the fabric shows: how much there is of everything, and why circuits fail. Read when somebody looks. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Fabric } from './fabric.ts'

export class FabricMetrics implements Disposable {
  readonly #unfollow: () => void

  constructor(registry: Registry, fabric: Fabric) {
    const registers = [registry]
    const { routers, links, circuits } = fabric.state
    const show = (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read())
        },
      })
    show('weft_fabric_routers', 'Routers that are connected.', () => routers.size)
    show('weft_fabric_links', 'Links between routers.', () => links.size)
    show('weft_fabric_circuits', 'Circuits that run.', () => circuits.size)
    show('weft_fabric_circuits_making', 'Circuits in the making.', () => fabric.pending.creations)
    show('weft_fabric_circuits_moving', 'Circuits that move to another path.', () => fabric.pending.reroutes)
    const events = new Counter({
      name: 'weft_fabric_circuit_events_total',
      help: 'Circuits created, moved, deleted and failed, the last by cause.',
      labelNames: ['event', 'cause'],
      registers,
    })
    this.#unfollow = circuits.follow((event) => {
      events.inc({ event: event.type, cause: event.type === 'failed' ? event.failureCause : '' })
    })
  }

  [Symbol.dispose](): void {
    this.#unfollow()
  }
}
