/** How the fabric is tuned: the `network` section of the controller's file, and who is online. Times are milliseconds. */
export interface NetworkOptions {
  /** Attempts to build a circuit, at least one. */
  readonly createCircuitRetries: number
  /** How long the routers of a path may take to set up their parts. */
  readonly routeTimeout: number
  /** How often links and circuits are looked through. */
  readonly cycle: number
  /** What a link is taken to need until its ends have measured it. */
  readonly initialLinkLatency: number
  /** What each router on a path costs at least. */
  readonly minRouterCost: number
  /** How long a connection of a router is kept from being replaced; 0 always allows it. */
  readonly routerConnectChurnLimit: number
  /** How often the controller's own metrics are told in events. */
  readonly metricsReportInterval: number
  readonly smart: SmartOptions
  readonly identityStatus: IdentityStatusOptions
}

/** When identities are taken to be offline: `edge.identityStatusConfig`. */
export interface IdentityStatusOptions {
  readonly scanInterval: number
  /** How long after the loss of its router an identity is unknown rather than offline. */
  readonly unknownTimeout: number
}

/** Which circuits a cycle moves to better paths. */
export interface SmartOptions {
  /** The part of all circuits. */
  readonly rerouteFraction: number
  readonly rerouteCap: number
  /** How much cheaper a new path has to be. */
  readonly minCostDelta: number
}

export const defaultNetworkOptions: NetworkOptions = {
  createCircuitRetries: 2,
  routeTimeout: 10_000,
  cycle: 60_000,
  initialLinkLatency: 65_000,
  minRouterCost: 10,
  routerConnectChurnLimit: 60_000,
  metricsReportInterval: 60_000,
  smart: { rerouteFraction: 0.02, rerouteCap: 4, minCostDelta: 15 },
  identityStatus: { scanInterval: 60_000, unknownTimeout: 300_000 },
}
