/**
 * The network below routers, which can be cut. Every router dials through a proxy of its own, and the proxies know who
 * listens where, so that one program can be kept from all others in both directions.
 *
 * A cut is either noticed at once, because connections end and new ones are refused, or not at all: nothing comes through
 * any more, as when a cable is pulled. What was held back then arrives when the cut is mended, or its connections are gone.
 */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

export type Cut = 'loud' | 'silent'
/** What becomes of connections that a silent cut has held back. */
export type Mending = 'goes on' | 'begins anew'

const LONGEST_REQUEST = 4_096

export class BreakableNetwork implements AsyncDisposable {
  readonly #proxies = new Map<string, Server>()
  readonly #owners = new Map<number, string>()
  readonly #cuts = new Map<string, Cut>()
  readonly #tunnels = new Set<Tunnel>()

  /** Opens a proxy for somebody, and answers its port. */
  async proxyFor(name: string): Promise<number> {
    const server = createServer((socket) => this.#serve(name, socket)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    this.#proxies.set(name, server)
    return (server.address() as AddressInfo).port
  }

  /** Somebody listens there; at ports that nobody is named for the controller does. */
  listensAt(name: string, port: number): void {
    this.#owners.set(port, name)
  }

  /** Keeps somebody from everybody else. */
  cut(name: string, how: Cut): void {
    this.#cuts.set(name, how)
    for (const tunnel of this.#tunnels) if (this.#endsOf(tunnel).includes(name)) this.#apply(tunnel)
  }

  mend(name: string, how: Mending = 'goes on'): void {
    this.#cuts.delete(name)
    for (const tunnel of this.#tunnels) {
      if (!this.#endsOf(tunnel).includes(name) || this.#cutOf(tunnel) !== undefined) continue
      if (how === 'begins anew') tunnel.destroy()
      else tunnel.flow()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = [...this.#proxies.values()].map((server) => {
      server.close()
      return once(server, 'close')
    })
    for (const tunnel of this.#tunnels) tunnel.destroy()
    await Promise.all(closed)
  }

  #serve(from: string, near: Socket): void {
    let request = ''
    near.on('error', () => {})
    near.on('data', (bytes: Buffer) => {
      request += bytes.toString('latin1')
      const found = /^CONNECT \S+:(\d+) HTTP\/1\.1\r\n.*?\r\n\r\n/s.exec(request)
      if (found === null) {
        if (request.length > LONGEST_REQUEST) near.destroy()
        return
      }
      near.removeAllListeners('data')
      near.pause()
      near.unshift(Buffer.from(request.slice(found[0].length), 'latin1'))
      const tunnel = new Tunnel(near, { from, port: Number(found[1]) })
      this.#tunnels.add(tunnel)
      tunnel.onEnd(() => this.#tunnels.delete(tunnel))
      this.#apply(tunnel)
    })
  }

  #apply(tunnel: Tunnel): void {
    const cut = this.#cutOf(tunnel)
    if (cut === undefined) tunnel.flow()
    else if (cut === 'loud') tunnel.destroy()
    else tunnel.hold()
  }

  #endsOf({ from, port }: Tunnel): readonly string[] {
    return [from, this.#owners.get(port) ?? 'controller']
  }

  #cutOf(tunnel: Tunnel): Cut | undefined {
    const cuts = this.#endsOf(tunnel).map((name) => this.#cuts.get(name))
    return cuts.includes('loud') ? 'loud' : cuts.find((cut) => cut !== undefined)
  }
}

/** One connection through a proxy. */
class Tunnel {
  /** Who has opened it, and to which port. */
  readonly from: string
  readonly port: number
  readonly #near: Socket
  readonly #listeners: (() => void)[] = []
  #far: Socket | undefined
  #isHeld = true
  #isBroken = false

  constructor(near: Socket, { from, port }: { readonly from: string; readonly port: number }) {
    this.from = from
    this.port = port
    this.#near = near
    near.once('close', () => this.#ended())
  }

  onEnd(listener: () => void): void {
    this.#listeners.push(listener)
  }

  /** Nothing comes through, not even the end of one side. */
  hold(): void {
    if (this.#isHeld) return
    this.#isHeld = true
    if (this.#far === undefined) return
    this.#near.unpipe(this.#far).pause()
    this.#far.unpipe(this.#near).pause()
  }

  flow(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    if (this.#isBroken) {
      this.destroy()
      return
    }
    this.#far ??= this.#dial()
    this.#near.pipe(this.#far)
    this.#far.pipe(this.#near)
  }

  destroy(): void {
    this.#isHeld = false
    this.#near.resetAndDestroy()
    this.#far?.resetAndDestroy()
    for (const listener of this.#listeners.splice(0)) listener()
  }

  #dial(): Socket {
    const far = connect({ host: '127.0.0.1', port: this.port })
    far.on('error', () => {})
    far.once('connect', () => this.#near.write('HTTP/1.1 200 Connection established\r\n\r\n'))
    far.once('close', () => this.#ended())
    return far
  }

  #ended(): void {
    this.#isBroken = true
    if (!this.#isHeld) this.destroy()
  }
}
