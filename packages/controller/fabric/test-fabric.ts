/**
 * A fabric for the tests of this folder: every resource with its rules, real tables, a clock that is wound by hand, and
 * routers that note what they are told and answer as a test wants.
 */
import type { TestContext } from 'node:test'
import { silentLogger } from '../log/logger.ts'
import { Change } from '../resource-kit/change.ts'
import { TestNetwork } from '../resources/test-network.ts'
import { Overlay } from '../state/overlay.ts'
import type { TableRows } from '../state/row.ts'
import type { Follower, Writer } from '../state/writer.ts'
import type { CircuitEvent, CircuitRequest } from './circuit.ts'
import { Fabric } from './fabric.ts'
import { FabricState } from './fabric-state.ts'
import { defaultNetworkOptions, type NetworkOptions } from './network-options.ts'
import type { RouteMessage, RouteResult } from './route-message.ts'
import type { RouterConnection, RouterFacts, UnrouteTime } from './router-connection.ts'
import type { TerminatorFaults } from './terminator-faults.ts'

const now = '2026-05-01T12:00:00.000Z'

export const routed: RouteResult = { isSuccess: true, peerData: new Map() }

export const routerFacts: RouterFacts = {
  hostname: 'router.example',
  supportedProtocols: { tls: 'tls://router.example:3022' },
  syncStatus: 'SYNC_DONE',
  versionInfo: { version: 'v2.1.0', revision: '', buildDate: '', os: 'linux', arch: 'amd64' },
  capabilities: 2n,
  linkListeners: [],
}

export class TestRouter implements RouterConnection {
  readonly routerId: string
  readonly isResumed: boolean
  readonly routes: RouteMessage[] = []
  readonly unroutes: { readonly circuitId: string; readonly when: UnrouteTime }[] = []
  readonly linkFaults: { readonly linkId: string; readonly iteration: number }[] = []
  readonly closed: string[] = []
  /** What it answers to a route; a promise that never settles stands for a router that says nothing. */
  answer: (route: RouteMessage) => RouteResult | Promise<RouteResult> = () => routed

  constructor(routerId: string, { isResumed = false }: { readonly isResumed?: boolean } = {}) {
    this.routerId = routerId
    this.isResumed = isResumed
  }

  async sendRoute(route: RouteMessage): Promise<RouteResult> {
    this.routes.push(route)
    return await this.answer(route)
  }

  sendUnroute(circuitId: string, when: UnrouteTime): void {
    this.unroutes.push({ circuitId, when })
  }

  sendLinkFault(linkId: string, iteration: number): void {
    this.linkFaults.push({ linkId, iteration })
  }

  close(reason: string): void {
    this.closed.push(reason)
  }
}

export interface TestClock {
  time: number
  now(): number
  monotonic(): number
}

export function handClock(): TestClock {
  const clock = { time: 1_000_000, now: () => clock.time, monotonic: () => clock.time }
  return clock
}

export class TestFabric implements AsyncDisposable {
  readonly network = new TestNetwork()
  readonly clock = handClock()
  readonly state: FabricState
  readonly fabric: Fabric
  /** Tells of every change. */
  readonly writer: Pick<Writer, 'follow'>
  readonly events: CircuitEvent[] = []
  /** What became of terminators by what their routers said. */
  readonly terminatorFaults: string[] = []
  /** API sessions whose tokens are over. */
  readonly outdated = new Set<string>()
  /** What the strategies get for a random number. */
  random = 0
  readonly #test: TestContext
  readonly #followers = new Set<Follower>()

  constructor(test: TestContext, options: Partial<NetworkOptions> = {}) {
    test.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
    this.#test = test
    const { clock } = this
    const merged = { ...defaultNetworkOptions, ...options }
    this.state = new FabricState({ clock }, merged)
    this.state.circuits.follow((event) => this.events.push(event))
    const follow = (follower: Follower) => {
      this.#followers.add(follower)
      return () => this.#followers.delete(follower)
    }
    const terminatorFaults: TerminatorFaults = {
      removeInvalid: async (id) => {
        this.terminatorFaults.push(`removed ${id}`)
        this.change((change) => change.remove('terminators', id))
      },
      markFailed: async (id) => {
        this.terminatorFaults.push(`failed ${id}`)
        this.change((change) => change.update('terminators', id, { precedence: 'failed' }))
      },
    }
    this.writer = { follow }
    const times = { isOver: (apiSessionId: string) => this.outdated.has(apiSessionId) }
    const deps = { state: this.state, view: this.network.view, writer: this.writer, terminatorFaults, times, clock }
    this.fabric = Fabric.start({ ...deps, log: silentLogger, random: () => this.random }, merged)
  }

  /** Runs a mutation and tells of it as the writer does. */
  change<T>(mutate: (change: Change) => T): T {
    const { view, registry } = this.network
    const draft = new Overlay(view, registry.specs)
    const result = mutate(new Change(draft, now, registry, undefined))
    const changes = draft.changesSince(0)
    view.apply(changes)
    const cause = { author: { type: 'controller', id: '', name: '' } }
    for (const follower of this.#followers) follower([{ index: 1, time: now, cause, changes }])
    return result
  }

  /** Lets time pass. */
  pass(milliseconds: number): void {
    this.clock.time += milliseconds
    this.#test.mock.timers.tick(milliseconds)
  }

  /** A router that exists and is connected. */
  router(id: string, facts: Partial<TableRows['routers']> = {}): TestRouter {
    if (this.network.view.get('routers', id) === undefined) {
      this.change((change) => change.create('routers', { name: id, kind: 'edge', ...facts }, { id }))
    }
    return this.connect(new TestRouter(id))
  }

  connect(router: TestRouter): TestRouter {
    this.state.routers.connect(router, routerFacts)
    return router
  }

  /** A link with a latency of some milliseconds from end to end. */
  link(source: TestRouter, dest: TestRouter, { id = linkId(source, dest), cost = 10, iteration = 1 } = {}): string {
    const links = [{ id, destRouterId: dest.routerId, protocol: 'tls', dialAddress: '', iteration }]
    this.state.links.report(source, { links, isFullRefresh: false })
    this.state.links.measured(source, [[id, cost * 1_000_000]])
    this.state.links.measured(dest, [[id, 0]])
    return id
  }

  service(id: string, facts: Partial<TableRows['services']> = {}): string {
    this.change((change) => change.create('services', { name: id, encryptionRequired: false, ...facts }, { id }))
    return id
  }

  terminator(id: string, serviceId: string, router: TestRouter, facts: Partial<TableRows['terminators']> = {}): string {
    const row = { serviceId, routerId: router.routerId, binding: 'edge', address: id, hostId: 'host', ...facts }
    this.change((change) => change.create('terminators', row, { id }))
    return id
  }

  /** Somebody who may dial a service by the policy `dial-<id>`. */
  identity(id: string, serviceId: string): string {
    this.change((change) => {
      change.create('identities', { name: id }, { id })
      const roles = { semantic: 'AnyOf', identityRoles: [`@${id}`], serviceRoles: [`@${serviceId}`] }
      change.create('servicePolicies', { name: `dial-${id}`, type: 'Dial', ...roles }, { id: `dial-${id}` })
    })
    return id
  }

  dial(source: TestRouter, serviceId: string, facts: Partial<CircuitRequest> = {}) {
    const { routerId: sourceRouterId } = source
    const request = { sourceRouterId, serviceId, instanceId: '', clientId: 'client', peerData: new Map(), ...facts }
    return this.fabric.createCircuit(request)
  }

  /** Waits until nothing that was begun goes on. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.fabric[Symbol.asyncDispose]()
  }
}

export function linkId(source: TestRouter, dest: TestRouter): string {
  return `${source.routerId}-${dest.routerId}`
}
