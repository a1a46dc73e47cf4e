/**
 * Where the controllers are, as every router is told when it connects. A router that has not been told would not come back
 * after its channel was closed; the id is the one in the hello, or the router would end the channel it came over.
 */
import type { ControlConnection } from './control-connection.ts'

export interface ControllerAddress {
  readonly controllerId: string
  /** As routers dial it, `tls:host:port`. */
  readonly ctrlAddress: string
}

/** Routers keep the newest by its index; one controller alone never changes it. */
const INDEX = 1

export function tellAddresses({ controllerId, ctrlAddress }: ControllerAddress) {
  return (connection: ControlConnection): void => {
    connection.tell('updateCtrlAddresses', {
      body: {
        addresses: [ctrlAddress],
        index: INDEX,
        isLeader: true,
        controllers: [{ id: controllerId, endpoints: [{ address: ctrlAddress }] }],
      },
    })
  }
}
