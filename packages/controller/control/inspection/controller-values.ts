/**
 * What the controller says of its inside, by name. Secrets are in none of it: a configuration is shown by its addresses and
 * limits, never by keys and passwords.
 */
import { getHeapStatistics } from 'node:v8'
import { DataModel, shownModel } from '@weft/model/data-model'
import { dataState } from '@weft/wire/messages'
import { type Clock, timestamp } from '../../clock.ts'
import type { FabricState } from '../../fabric/fabric-state.ts'
import type { View } from '../../state/view.ts'
import { networkVersion } from '../../version.ts'
import type { ControlConnection } from '../control-connection.ts'
import type { RouterDataModel } from '../data-model/router-data-model.ts'
import type { RouterDialer } from '../dialing/router-dialer.ts'
import { shownDialer } from '../dialing/shown-dialer.ts'
import type { PeerStates } from '../peer-states.ts'
import type { TerminatorValidation } from '../terminator-validation.ts'

export interface ControllerValuesDeps {
  readonly state: FabricState
  readonly view: View
  readonly clock: Clock
  readonly model: Pick<RouterDataModel, 'index' | 'timelineId' | 'stateFor'>
  /** Where the store stands; asked each time. */
  readonly head: { readonly index: number; readonly timeline: string }
  readonly peers: Pick<PeerStates, 'waiting'>
  readonly validation: Pick<TerminatorValidation, 'waiting'>
  /** Undefined where routers are not dialled. */
  readonly dialer: RouterDialer | undefined
  /** All metrics of the process, as events. */
  readonly metrics: () => Promise<unknown>
}

export interface ControllerValuesOptions {
  readonly controllerId: string
  readonly ctrlAddress: string
  /** What of the configuration may be seen. */
  readonly config: unknown
  readonly identityStatus: { readonly scanInterval: number }
}

/** Text, or what is shown as JSON; undefined when there is no such value. */
export type ControllerValue = (name: string) => unknown

export function controllerValues(deps: ControllerValuesDeps, options: ControllerValuesOptions): ControllerValue {
  const { state, view, model } = deps
  const values: Readonly<Record<string, () => unknown>> = {
    stackdump: () => processState(),
    config: () => options.config,
    'connected-routers': () => connectedRouters(deps),
    'connected-peers': () => [self(options)],
    'router-messaging': () => ({
      routerUpdates: nullWhenEmpty(
        deps.peers.waiting().map(({ routerId, peers, isSending }) => ({
          router: named(view, routerId),
          version: 0,
          changedRouters: peers.map((id) => named(view, id)),
          sendInProgress: isSending,
        })),
      ),
      terminatorValidations: nullWhenEmpty(
        deps.validation.waiting().map(({ routerId, terminators, isAsking }) => ({
          router: named(view, routerId),
          terminators,
          checkInProgress: isAsking,
          lastSend: '',
        })),
      ),
    }),
    'identity-connection-statuses': () => identityConnections(deps, options),
    'data-model-index': () => ({ timeline: deps.head.timeline, index: deps.head.index }),
    'router-data-model': async () => shownModel(DataModel.of(dataState.decode((await model.stateFor()).body))),
    'router-data-model-index': () => ({ timeline: model.timelineId, index: model.index }),
    'ctrl-dialer': () => shownDialer(deps.dialer, deps.clock),
  }
  return (name) => {
    const key = name.toLowerCase()
    if (key.startsWith('metrics')) return deps.metrics()
    if (key.startsWith('terminator-costs')) return { terminators: nullWhenEmpty([...state.terminatorCosts.details()]) }
    return Object.hasOwn(values, key) ? values[key]!() : undefined
  }
}

function connectedRouters({ state, view }: ControllerValuesDeps) {
  return [...state.routers.all()].map(({ connection, versionInfo, connectedAt }) => {
    const underlays: Record<string, number> = {}
    for (const { type } of (connection as ControlConnection).channel.underlays) {
      underlays[type] = (underlays[type] ?? 0) + 1
    }
    const { version } = versionInfo
    return { ...named(view, connection.routerId), version, connectTime: wholeSeconds(connectedAt), underlays }
  })
}

function wholeSeconds(milliseconds: number): string {
  return timestamp(milliseconds).replace(/\.\d+Z$/, 'Z')
}

/** A controller alone is a cluster of one. */
function self({ controllerId, ctrlAddress }: ControllerValuesOptions) {
  return {
    id: controllerId,
    addr: ctrlAddress,
    isConnected: true,
    isLeader: true,
    isPreferredLeader: false,
    isSelf: true,
    isVoter: true,
    raftConnCount: 0,
    version: networkVersion,
  }
}

function identityConnections({ state }: ControllerValuesDeps, { identityStatus }: ControllerValuesOptions) {
  const connections: Record<string, unknown> = {}
  for (const identityId of state.identities.known()) {
    const routers = state.identities.routersOf(identityId)
    connections[identityId] = {
      connected_routers: Object.fromEntries(
        routers.map((router_id) => [router_id, { router_id, closed: !state.routers.isOnline(router_id) }]),
      ),
      last_reported_state: state.identities.connectionStatus(identityId),
    }
  }
  return { connections, scanInterval: `${identityStatus.scanInterval / 1_000}s` }
}

/** A process has one stack, that of whoever asks; what it waits for is more telling. */
function processState(): string {
  const waiting = process.getActiveResourcesInfo()
  const counts = new Map<string, number>()
  for (const kind of waiting) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  const lines = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([kind, count]) => `${count}\t${kind}`)
  const { used_heap_size, heap_size_limit } = getHeapStatistics()
  return [
    `process ${process.pid}, up ${Math.round(process.uptime())} s, heap ${used_heap_size} of ${heap_size_limit} bytes`,
    'waiting for:',
    ...lines,
    '',
  ].join('\n')
}

function named(view: View, routerId: string): { readonly id: string; readonly name: string } {
  return { id: routerId, name: view.get('routers', routerId)?.name ?? routerId }
}

function nullWhenEmpty<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list
}
