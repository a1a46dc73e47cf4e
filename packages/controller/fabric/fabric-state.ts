/**
 * The live facts of the network: who is connected, which links there are, what paths cost, which circuits run. They need
 * no rows, so they exist before the state is loaded, and the resources show them.
 */
import type { Clock } from '../clock.ts'
import { CircuitTable } from './circuit-table.ts'
import { ConnectedRouters } from './connected-routers.ts'
import { IdentityConnections } from './identity-connections.ts'
import { Links } from './links.ts'
import type { NetworkOptions } from './network-options.ts'
import { Paths } from './paths.ts'
import { TerminatorCosts } from './terminator-costs.ts'
import { Topology } from './topology.ts'

export class FabricState {
  readonly routers: ConnectedRouters
  readonly topology: Topology
  readonly links: Links
  readonly paths: Paths
  readonly terminatorCosts: TerminatorCosts
  readonly circuits: CircuitTable
  readonly identities: IdentityConnections

  constructor({ clock }: { readonly clock: Clock }, options: NetworkOptions) {
    this.routers = new ConnectedRouters({ clock }, options)
    this.topology = new Topology(options)
    this.links = new Links({ routers: this.routers, topology: this.topology }, options)
    this.paths = new Paths(this.topology)
    this.terminatorCosts = new TerminatorCosts({ clock })
    this.circuits = new CircuitTable()
    this.identities = new IdentityConnections({ routers: this.routers, clock }, options.identityStatus)
  }
}
