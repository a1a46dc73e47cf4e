/** Makes a circuit for a client of a router: what all the requests for one have in common. */
import { peerDataKey } from '@weft/wire/messages'
import type { Circuit, CircuitRequest } from '../../fabric/circuit.ts'
import type { ControlConnection } from '../control-connection.ts'
import type { ControlContext } from '../control-context.ts'

export interface Dial
  extends Pick<CircuitRequest, 'identityId' | 'apiSessionId' | 'sessionId' | 'token' | 'circuitId'> {
  readonly clientId: string
  readonly serviceId: string
  readonly instanceId: string | undefined
  readonly peerData: ReadonlyMap<number, Buffer> | undefined
  /** Whether the host is told who dials. */
  readonly isNamed: boolean
}

export interface MadeCircuit {
  readonly circuitId: string
  readonly address: string
  readonly peerData: ReadonlyMap<number, Buffer>
  readonly tags: ReadonlyMap<string, string>
}

export async function dialFor(context: ControlContext, from: ControlConnection, dial: Dial): Promise<MadeCircuit> {
  const { instanceId = '', isNamed, ...request } = dial
  const peerData = isNamed ? named(context, dial) : withoutName(dial.peerData)
  const sourceRouterId = from.routerId
  // A router that has gone does not wait for its circuit.
  const options = { signal: from.gone }
  const forLogs = { context: sessionsOf(dial) }
  const wanted = { ...request, ...forLogs, sourceRouterId, instanceId, peerData }
  const circuit = await context.fabric.createCircuit(wanted, options)
  return madeCircuit(circuit)
}

/** What routers write into their logs of whoever dials. */
function sessionsOf({ apiSessionId, sessionId }: Dial): Readonly<Record<string, string>> {
  return { ...(apiSessionId !== undefined && { apiSessionId }), ...(sessionId !== undefined && { sessionId }) }
}

function madeCircuit({ id, path, peerData, tags }: Circuit): MadeCircuit {
  const buffers = peerData.entries().map(([key, value]) => [key, Buffer.from(value)] as const)
  return {
    circuitId: id,
    address: path.ingressId,
    peerData: new Map(buffers),
    tags: new Map(Object.entries(tags)),
  }
}

/** Who dials is what the controller has verified, whatever the router says. */
function named({ kit }: ControlContext, { identityId, peerData }: Dial): ReadonlyMap<number, Buffer> {
  const told = new Map(withoutName(peerData))
  const identity = identityId === undefined ? undefined : kit.view.get('identities', identityId)
  if (identity !== undefined) {
    told.set(peerDataKey.dialerIdentityId, Buffer.from(identity.id))
    told.set(peerDataKey.dialerIdentityName, Buffer.from(identity.name))
  }
  return told
}

function withoutName(peerData: ReadonlyMap<number, Buffer> = new Map()): ReadonlyMap<number, Buffer> {
  const told = new Map(peerData)
  told.delete(peerDataKey.dialerIdentityId)
  told.delete(peerDataKey.dialerIdentityName)
  return told
}
