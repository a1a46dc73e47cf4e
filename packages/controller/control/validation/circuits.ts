/** Whether routers carry the circuits that the controller has made, and no others of it. */
import type { ManagementMessageInit } from '@weft/wire/messages'
import type { CircuitTable } from '../../fabric/circuit-table.ts'
import { inspectRouter } from '../inspection/inspect-router.ts'
import { ANSWER_LIMIT, ofRouters, type RouterRow, type Validation, type ValidationDeps } from './validation.ts'

export type CircuitsResult = ManagementMessageInit<'circuitsResult'>['body']
type CircuitDetail = NonNullable<CircuitsResult['details']> extends ReadonlyMap<string, infer D> ? D : never

export interface CircuitsDeps extends ValidationDeps {
  readonly circuits: CircuitTable
  readonly controllerId: string
}

/** In the forwarder, at the edge listener, and in the SDKs of those who hold the ends. */
const places = ['router-circuits', 'router-edge-circuits', 'router-sdk-circuits'] as const

interface InspectedCircuit {
  readonly id?: string
  readonly circuitId?: string
  readonly ctrlId?: string
  readonly destinations?: Readonly<Record<string, string>> | null
}

/** Where an SDK does part of the forwarding, its circuits are known at the edge and in the SDK too. */
const EDGE_FORWARDING = 'xg-edge-fwd'

export function validateCircuits(deps: CircuitsDeps, filter: string): Promise<Validation<CircuitsResult>> {
  return ofRouters<CircuitsResult>(deps, filter, {
    async connected(router, connection, signal) {
      const { values, errors } = await inspectRouter(connection, places, { timeoutMilliseconds: ANSWER_LIMIT, signal })
      const [forwarder, edge, sdk] = places.map((place) => circuitsIn(values.get(place), deps.controllerId))
      if (forwarder === undefined) {
        throw new Error(errors.length > 0 ? errors.join(',') : 'the router has not told of its circuits')
      }
      const details = compared(deps, router.id, { forwarder, edge: edge ?? new Map(), sdk: sdk ?? new Map() })
      return { ...head(router), validateSuccess: true, details }
    },
    failed: (router, { message }) => ({ ...head(router), validateSuccess: false, message }),
  })
}

function head({ id: routerId, name: routerName }: RouterRow) {
  return { routerId, routerName }
}

/** Those of this controller, by circuit id. */
function circuitsIn(json: string | undefined, controllerId: string): Map<string, InspectedCircuit> | undefined {
  if (json === undefined) return undefined
  const { circuits } = JSON.parse(json) as { readonly circuits?: Readonly<Record<string, InspectedCircuit>> | null }
  const own = Object.entries(circuits ?? {}).filter(([, { ctrlId }]) => ctrlId === controllerId)
  return new Map(own.map(([key, circuit]) => [circuit.circuitId ?? circuit.id ?? key, circuit]))
}

interface Inspected {
  readonly forwarder: ReadonlyMap<string, InspectedCircuit>
  readonly edge: ReadonlyMap<string, InspectedCircuit>
  readonly sdk: ReadonlyMap<string, InspectedCircuit>
}

function compared(
  { circuits }: CircuitsDeps,
  routerId: string,
  { forwarder, edge, sdk }: Inspected,
): ReadonlyMap<string, CircuitDetail> {
  const made = new Set(circuits.find('router', routerId).map(({ id }) => id))
  const all = new Set([...made, ...forwarder.keys(), ...edge.keys(), ...sdk.keys()])
  return new Map(
    [...all].map((circuitId) => {
      const destinations = forwarder.get(circuitId)?.destinations ?? {}
      const isAtEdge = Object.values(destinations).includes(EDGE_FORWARDING)
      const isOnlyInSdk =
        sdk.has(circuitId) && !forwarder.has(circuitId) && !edge.has(circuitId) && !made.has(circuitId)
      const detail = {
        circuitId,
        missingInCtrl: !made.has(circuitId),
        missingInForwarder: !forwarder.has(circuitId),
        missingInEdge: (isAtEdge && !edge.has(circuitId)) || isOnlyInSdk,
        missingInSdk: isAtEdge && !sdk.has(circuitId),
        destinations: new Map(Object.entries(destinations)),
      }
      return [circuitId, detail as CircuitDetail] as const
    }),
  )
}
