/**
 * Which routers are connected, and what they said of themselves: known only while their control channels are open.
 */
export type SyncStatus =
  | 'SYNC_NEW'
  | 'SYNC_QUEUED'
  | 'SYNC_HELLO'
  | 'SYNC_HELLO_WAIT'
  | 'SYNC_RESYNC_WAIT'
  | 'SYNC_IN_PROGRESS'
  | 'SYNC_DONE'
  | 'SYNC_UNKNOWN'
  | 'SYNC_DISCONNECTED'
  | 'SYNC_HELLO_TIMEOUT'
  | 'SYNC_ERROR'

export interface RouterVersion {
  readonly version: string
  readonly revision: string
  /** As the router sent it. */
  readonly buildDate: string
  readonly os: string
  readonly arch: string
}

export interface ConnectedRouter {
  readonly hostname: string
  /** For each protocol of its edge listeners the address, `tls` to `tls://host:port`. */
  readonly supportedProtocols: Readonly<Record<string, string>>
  readonly syncStatus: SyncStatus
  readonly versionInfo: RouterVersion
  /** Where other routers can link to it. */
  readonly linkListeners: readonly LinkListener[]
}

export interface LinkListener {
  readonly address: string
  readonly protocol: string
}

export interface RouterPresence {
  /** What is known of a router while it is connected. */
  connected(routerId: string): ConnectedRouter | undefined
}

/** A controller to which no router is connected. */
export const noRouterConnected: RouterPresence = { connected: () => undefined }
