/**
 * Where the controllers are, as every router is told when it connects. A router that has not been told would not come back
 * after its channel was closed; the id is the one in the hello, or the router would end the channel it came over.
 */
import type { ControlConnection } from './control-connection.ts'

export interface ControllerAddress {
  readonly controllerId: string
  /** As routers dial it, `tls:host:port`. */
  readonly ctrlAddress: string
  /** Where routers are to dial from now on, when that is somewhere else. */
  readonly newCtrlListener?: string
}

/** Routers keep what has the highest index: it grows from one start of the controller to the next. */
export function addressTeller({ controllerId, ctrlAddress, newCtrlListener }: ControllerAddress, index: number) {
  const address = newCtrlListener ?? ctrlAddress
  return (connection: ControlConnection): void => {
    connection.tell('updateCtrlAddresses', {
      body: {
        addresses: [address],
        index: Math.max(1, index),
        isLeader: true,
        controllers: [{ id: controllerId, endpoints: [{ address }] }],
      },
    })
  }
}
