/** A network interface, as endpoints and routers report theirs. */
export interface NetworkInterface {
  readonly name: string
  readonly index: number
  readonly mtu: number
  readonly hardwareAddress: string
  readonly addresses: readonly string[]
  readonly isUp: boolean
  readonly isRunning: boolean
  readonly isLoopback: boolean
  readonly isBroadcast: boolean
  readonly isMulticast: boolean
}
