/**
 * The controllers of the network: which there are, which are connected, and whom to ask.
 *
 * Controllers tell of each other (`updateCtrlAddresses`); the newest list counts and is kept in a file for the next
 * start. A list from one that does not lead never cuts a channel that works. Whatever lists say, a router that has lost
 * every controller dials those of its own configuration again.
 *
 * Controllers may dial the router too. There is one channel with each, and both sides come to the same one:
 *
 *   the router has dialled, and a controller's own channel is there   the controller has taken the newer one in: that counts
 *   a controller dials, and a channel is there that is young          it may be on its way to the controller: that counts
 *   a controller dials, and a channel is there that is not            the controller has lost it, or it would not dial
 */
import type { WireLog } from '@weft/wire'
import type { UpdateCtrlAddresses } from '@weft/wire/messages'
import { type ControllerEndpoint, type KnownController, unknownAt } from '../config/endpoints-file.ts'
import type { ControllerConnection } from './controller-connection.ts'
import { ControllerDialer } from './controller-dialer.ts'

export interface ControllersDeps {
  readonly connect: (address: string, signal: AbortSignal) => Promise<ControllerConnection>
  /** Keeps the list for the next start. */
  readonly save: (controllers: readonly KnownController[]) => void
  /** Reads an address as a controller writes it; undefined for one that cannot be dialled. */
  readonly readAddress: (text: string) => ControllerEndpoint['address'] | undefined
  readonly monotonic: () => number
  readonly log: WireLog
}

export interface ControllersOptions {
  readonly first: readonly KnownController[]
  /** Those of the configuration file, for when nobody else is left. */
  readonly configured: readonly ControllerEndpoint['address'][]
}

type Listener = (connection: ControllerConnection) => void

/** A channel with a controller. */
interface Reached {
  readonly connection: ControllerConnection
  readonly isIncoming: boolean
  /** By the monotonic clock. */
  readonly since: number
}

const mostEndpoints = 16
/** Whatever lists say, separately or together. */
const mostControllers = 64
const membersInterval = 30_000
/** Without any controller for so long, the configured ones are dialled besides those that were told. */
const lonelinessLimit = 5_000
/** Longer than a dial takes: a controller knows of a channel that is as old. */
const youth = 10_000

export class Controllers implements AsyncDisposable {
  readonly #deps: ControllersDeps
  readonly #options: ControllersOptions
  readonly #dialers = new Set<ControllerDialer>()
  readonly #reached = new Map<string, Reached>()
  /** Those that were cut on purpose; an empty id stands for all. */
  readonly #suspended = new Set<string>()
  readonly #onConnect: Listener[] = []
  readonly #onDisconnect: Listener[] = []
  #addressesIndex = 0
  /** Of the newest list. */
  #listed: ReadonlySet<string> = new Set()
  #leaderIndex = 0
  #leaderId: string | undefined
  #members: NodeJS.Timeout | undefined
  #lonely: NodeJS.Timeout | undefined
  #isClosed = false

  constructor(deps: ControllersDeps, options: ControllersOptions) {
    this.#deps = deps
    this.#options = options
  }

  start(): this {
    for (const known of this.#options.first) this.#dial(known)
    this.#expectSomeone()
    return this
  }

  /** Called for each new channel, in the order of registration, and likewise at its end. */
  onConnect(listener: Listener): void {
    this.#onConnect.push(listener)
  }

  onDisconnect(listener: Listener): void {
    this.#onDisconnect.push(listener)
  }

  /** Those that are connected, the best to ask first: those that answer, then the nearest. */
  connected(): readonly ControllerConnection[] {
    return [...this.#reached.values()]
      .map(({ connection }) => connection)
      .filter(({ isConnected }) => isConnected)
      .sort((a, b) => Number(a.isUnresponsive) - Number(b.isUnresponsive) || a.latency - b.latency)
  }

  /** Whoever answers fastest. */
  any(): ControllerConnection | undefined {
    return this.connected()[0]
  }

  /** For what changes the network: the leader if it answers, or else anyone, who passes it on. */
  forChanges(): ControllerConnection | undefined {
    const leader = this.#leaderId === undefined ? undefined : this.get(this.#leaderId)
    return leader !== undefined && !leader.isUnresponsive ? leader : this.any()
  }

  get(controllerId: string): ControllerConnection | undefined {
    return this.#reached.get(controllerId)?.connection
  }

  /** Whether the router has dialled it. */
  isDialled(connection: ControllerConnection): boolean {
    const reached = this.#reached.get(connection.controllerId)
    return reached?.connection === connection && !reached.isIncoming
  }

  /** Why a controller that dials may not connect now; undefined when it may. */
  refusalOf(controllerId: string): string | undefined {
    const { connection, since } = this.#reached.get(controllerId) ?? {}
    if (this.#isClosed) return 'the router is ending'
    if (this.#suspended.has('') || this.#suspended.has(controllerId)) return `controller ${controllerId} is cut off`
    if (this.#isLeftOut(controllerId)) return `controller ${controllerId} is not in the list of controllers`
    if (connection === undefined || connection.channel.isClosed) return undefined
    return this.#deps.monotonic() - since! < youth ? `controller ${controllerId} is connected` : undefined
  }

  /** Takes the channel of a controller that has dialled; false when it is not wanted. */
  accept(connection: ControllerConnection): boolean {
    const { controllerId } = connection
    if (this.refusalOf(controllerId) !== undefined) return false
    this.#reach(connection, { isIncoming: true })
    void connection.channel.closed.then(({ reason }) => {
      this.#deps.log.info('control channel ended', { controller: controllerId, reason })
      this.#disconnected(connection)
    })
    return true
  }

  /** Whoever answers fastest, as soon as there is one; undefined after the time. */
  async whenAny(milliseconds: number): Promise<ControllerConnection | undefined> {
    const now = this.any()
    if (now !== undefined || this.#isClosed) return now
    const { promise, resolve } = Promise.withResolvers<void>()
    const come = () => resolve()
    const timer = setTimeout(come, milliseconds)
    this.#onConnect.push(come)
    await promise
    clearTimeout(timer)
    this.#onConnect.splice(this.#onConnect.indexOf(come), 1)
    return this.any()
  }

  /** For inspections. */
  known(): readonly { readonly known: KnownController; readonly connection: ControllerConnection | undefined }[] {
    const dialled = [...this.#dialers].map(({ known, connection }) => ({
      known,
      connection: connection ?? this.#incoming(known.id),
    }))
    const ids = new Set(dialled.map(({ known }) => known.id))
    const others = [...this.#reached].filter(([id, { isIncoming }]) => isIncoming && !ids.has(id))
    return [...dialled, ...others.map(([id, { connection }]) => ({ known: { id, endpoints: [] }, connection }))]
  }

  get leaderId(): string | undefined {
    return this.#leaderId
  }

  /** What a controller says of all of them. */
  applyAddresses(from: ControllerConnection, update: UpdateCtrlAddresses): void {
    const { index, isLeader } = update
    if (this.#addressesIndex > 0 && index <= this.#addressesIndex) return
    if (isLeader) this.#leaderId = from.controllerId
    const listed = update.controllers.slice(0, mostControllers).flatMap((detail) => this.#readDetail(detail))
    if (listed.length === 0) {
      this.#askForMembers()
      return
    }
    const ids = new Set(listed.map(({ id }) => id))
    const isCutting = [...this.#reached.keys()].some((id) => !ids.has(id))
    for (const known of listed) this.#learn(known)
    if (isCutting && !isLeader) {
      this.#deps.log.info('list of controllers is not from the leader; nobody is left out', {
        controller: from.controllerId,
      })
      this.#askForMembers()
      return
    }
    clearInterval(this.#members)
    this.#members = undefined
    this.#addressesIndex = index
    this.#listed = ids
    for (const dialer of [...this.#dialers]) if (!ids.has(dialer.known.id)) this.#drop(dialer)
    for (const [id, { connection, isIncoming }] of this.#reached) {
      if (isIncoming && !ids.has(id)) connection.close('it is not in the list of controllers')
    }
    this.#deps.save(listed)
  }

  /** A controller has moved, or can be reached in another way as well. */
  addAddress({ controllerId }: ControllerConnection, text: string): void {
    const address = this.#deps.readAddress(text)
    const dialer = [...this.#dialers].find(({ known }) => known.id === controllerId)
    if (address === undefined || dialer === undefined) return
    const { endpoints } = dialer.known
    if (endpoints.some((endpoint) => endpoint.address.text === text)) return
    dialer.update({ id: controllerId, endpoints: [{ address, groups: [] }, ...endpoints].slice(0, mostEndpoints) })
    this.#deps.save([...this.#dialers].map(({ known }) => known))
  }

  applyLeader(from: ControllerConnection, index: number): void {
    if (this.#leaderIndex > 0 && index <= this.#leaderIndex) return
    this.#leaderIndex = index
    this.#leaderId = from.controllerId
  }

  /** The network was set back to an earlier state: what was told before does not count any more. */
  forgetIndexes(): void {
    this.#addressesIndex = 0
    this.#leaderIndex = 0
    this.#listed = new Set()
  }

  /** Cuts the channel to a controller, or lets it come back; all of them for an empty id. How many there were. */
  toggle(controllerId: string, isOn: boolean): number {
    const isMeant = (id: string) => controllerId === '' || id === controllerId
    const chosen = this.known().filter(({ known }) => isMeant(known.id))
    const wasSuspended = this.#suspended.has(controllerId)
    if (!isOn && (controllerId === '' || chosen.length > 0)) this.#suspended.add(controllerId)
    else if (controllerId === '') this.#suspended.clear()
    else this.#suspended.delete(controllerId)
    for (const dialer of this.#dialers) {
      if (!isMeant(dialer.known.id)) continue
      if (isOn) dialer.resume()
      else dialer.suspend()
    }
    if (!isOn) for (const { connection } of chosen) connection?.close('suspended')
    return Math.max(chosen.length, Number(wasSuspended))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#members)
    clearTimeout(this.#lonely)
    for (const { connection, isIncoming } of this.#reached.values()) if (isIncoming) connection.close('the router ends')
    await Promise.all([...this.#dialers].map((dialer) => dialer[Symbol.asyncDispose]()))
    this.#dialers.clear()
  }

  #dial(known: KnownController): void {
    const { connect, log, monotonic } = this.#deps
    const dialer = new ControllerDialer(known, {
      connect,
      log,
      monotonic,
      connected: (connection, from) => this.#connected(connection, from),
      disconnected: (connection) => this.#disconnected(connection),
      incoming: (controllerId) => this.#incoming(controllerId),
    })
    this.#dialers.add(dialer)
    dialer.start()
  }

  #drop(dialer: ControllerDialer): void {
    this.#dialers.delete(dialer)
    void dialer[Symbol.asyncDispose]()
  }

  /** Takes in what is known of a controller: under its id, or under an address of which the id was not known. */
  #learn(known: KnownController): void {
    const addresses = new Set(known.endpoints.map(({ address }) => address.text))
    const isUnder = ({ known: other }: ControllerDialer) =>
      other.id === '' && other.endpoints.some(({ address }) => addresses.has(address.text))
    const dialers = [...this.#dialers]
    const dialer = dialers.find((candidate) => candidate.known.id === known.id) ?? dialers.find(isUnder)
    if (dialer !== undefined) dialer.update(known)
    else if (this.#dialers.size < mostControllers) this.#dial(known)
  }

  #readDetail(detail: UpdateCtrlAddresses['controllers'][number]): KnownController[] {
    const endpoints = detail.endpoints.slice(0, mostEndpoints).flatMap(({ address, groups }) => {
      const read = this.#deps.readAddress(address)
      return read === undefined ? [] : [{ address: read, groups }]
    })
    return detail.id === '' || endpoints.length === 0 ? [] : [{ id: detail.id, endpoints }]
  }

  #connected(connection: ControllerConnection, dialer: ControllerDialer): boolean {
    const { controllerId } = connection
    if (this.#isClosed || !this.#dialers.has(dialer)) return false
    const other = this.#reached.get(controllerId)
    if (other !== undefined && !other.isIncoming && !other.connection.channel.isClosed) {
      // The same controller under another address: one way to it is enough.
      this.#drop(dialer)
      return false
    }
    if (dialer.known.id !== controllerId) dialer.update({ ...dialer.known, id: controllerId })
    this.#reach(connection, { isIncoming: false })
    return true
  }

  /** The channel takes the place of another one, if there is one, as if that had ended before. */
  #reach(connection: ControllerConnection, { isIncoming }: Pick<Reached, 'isIncoming'>): void {
    const { controllerId, address } = connection
    const other = this.get(controllerId)
    if (other !== undefined) {
      this.#disconnected(other)
      other.close('a newer channel takes its place')
    }
    clearTimeout(this.#lonely)
    this.#reached.set(controllerId, { connection, isIncoming, since: this.#deps.monotonic() })
    this.#deps.log.info('controller connected', { controller: controllerId, address })
    for (const listener of [...this.#onConnect]) listener(connection)
  }

  #disconnected(connection: ControllerConnection): void {
    const { controllerId } = connection
    if (this.get(controllerId) !== connection) return
    this.#reached.delete(controllerId)
    if (this.#isClosed) return
    this.#expectSomeone()
    for (const listener of [...this.#onDisconnect]) listener(connection)
  }

  #incoming(controllerId: string): ControllerConnection | undefined {
    const { connection, isIncoming } = this.#reached.get(controllerId) ?? {}
    return isIncoming === true && !connection!.channel.isClosed ? connection : undefined
  }

  /** Whether those who are connected have said that there is no such controller. */
  #isLeftOut(controllerId: string): boolean {
    return this.#reached.size > 0 && this.#listed.size > 0 && !this.#listed.has(controllerId)
  }

  #expectSomeone(): void {
    clearTimeout(this.#lonely)
    if (this.#reached.size > 0 || this.#isClosed) return
    this.#lonely = setTimeout(() => {
      const dialled = new Set(
        [...this.#dialers].flatMap(({ known }) => known.endpoints.map(({ address }) => address.text)),
      )
      const missing = this.#options.configured.filter(({ text }) => !dialled.has(text))
      for (const address of missing) this.#dial(unknownAt(address))
    }, lonelinessLimit).unref()
  }

  #askForMembers(): void {
    if (this.#members !== undefined) return
    const ask = () => this.forChanges()?.tell('requestClusterMembers', {})
    this.#members = setInterval(ask, membersInterval).unref()
    ask()
  }
}
