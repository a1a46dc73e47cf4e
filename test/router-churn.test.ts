/**
 * A router to whom everything happens at random: its controller goes and comes, other routers dial it, are dialled and
 * vanish, the data model changes, monitors and operators ask and hang up, and strangers knock. In the end it is connected,
 * has no link to anyone who is gone, and has grown neither in memory nor in what it has open. WEFT_LONG makes it a soak.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { encodeHello } from '@weft/wire'
import { linkHello } from '@weft/wire/messages'
import { freePort } from './kit/free-port.ts'
import { HeapProbe, inspectable } from './kit/heap-probe.ts'
import { LinkPeer, type Welcome } from './kit/link-peer.ts'
import { Mesh } from './kit/mesh.ts'
import { until } from './kit/patience.ts'
import { MEBIBYTE } from './kit/process-memory.ts'
import { type Random, seededRandom } from './kit/random.ts'
import type { RouterProcess } from './kit/router-process.ts'

const PEERS = 4
const AT_ONE_TIME = 6
/** Between these the memory is looked at, with all at rest. */
const stretches = 6
const waves = Number(process.env.WEFT_CHURN_WAVES ?? (process.env.WEFT_LONG ? 3_000 : 24))
/**
 * Of the second half, in which there is nothing left to learn. The parts of a channel or of a link that nobody lets go of
 * would be more in a soak.
 */
const LEFT_AT_MOST = 2 * MEBIBYTE
const LEFT_OPEN_AT_MOST = 2
/** The local socket, as operators' tools ask over it. */
const agentMark = Buffer.from('010b0a0d0e0c0a0f0e0f00000d', 'hex')
const random = seededRandom()
const limit = { timeout: 110_000 + waves * 2_000 }

test(`a router in the midst of it, WEFT_SEED=${random.seed}`, limit, async (t) => {
  await using mesh = await Mesh.start()
  await using place = await Place.start(mesh)
  using probe = await HeapProbe.attach(place.router)
  const held: number[] = []
  const open: number[] = []
  for (let stretch = 0; stretch < stretches; stretch++) {
    for (let wave = 0; wave < waves / stretches; wave++) await place.wave(random)
    await place.settle()
    held.push(await probe.heldBytes())
    open.push(openFiles(place.router.child.pid) + (await probe.activeResources()))
  }
  const shown = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)}`
  const half = stretches / 2
  t.diagnostic(`${place.actions} actions; MiB held ${held.map(shown).join(' ')}; open ${open.join(' ')}`)
  const growth = Math.min(...held.slice(half)) - Math.max(...held.slice(1, half))
  assert.ok(growth < LEFT_AT_MOST, `the heap has grown: ${held.map(shown).join(' ')} MiB`)
  const opened = Math.min(...open.slice(half)) - Math.max(...open.slice(1, half))
  assert.ok(opened <= LEFT_OPEN_AT_MOST, `more and more is open: ${open.join(' ')}`)
  const problem = place.router.child.stderr.split('\n').find((line) => line.includes('"level":"error"'))
  assert.equal(problem, undefined)
})

/** Files and sockets that a process has open, where that can be told. */
function openFiles(pid: number): number {
  return process.platform === 'linux' ? readdirSync(`/proc/${pid}/fd`).length : 0
}

class Place implements AsyncDisposable {
  readonly router: RouterProcess
  actions = 0
  readonly #mesh: Mesh
  readonly #webPort: number
  readonly #agentPath: string
  readonly #peers: readonly LinkPeer[]
  #identities: string[] = []
  #last = 0

  private constructor(
    mesh: Mesh,
    facts: { router: RouterProcess; webPort: number; agentPath: string },
    peers: LinkPeer[],
  ) {
    this.router = facts.router
    this.#mesh = mesh
    this.#webPort = facts.webPort
    this.#agentPath = facts.agentPath
    this.#peers = peers
  }

  static async start(mesh: Mesh): Promise<Place> {
    const webPort = await freePort()
    const address = `127.0.0.1:${webPort}`
    const sections = `
web:
  - name: monitors
    bindPoints: [{ interface: "${address}", address: "${address}" }]
    apis: [{ binding: health-checks }, { binding: metrics }]
metrics: { reportInterval: 1s }
healthChecks: { ctrlPingCheck: { interval: 1s, timeout: 1s, initialDelay: 100ms } }
`
    const router = await mesh.add('subject', { sections })
    const agentPath = join(mesh.folder.path, 'agent.sock')
    await router.run({ flags: ['--cli-agent-addr', `unix:${agentPath}`], nodeFlags: inspectable })
    const { admin } = await mesh.api()
    const peers: LinkPeer[] = []
    for (let nth = 0; nth < PEERS; nth++) peers.push(await LinkPeer.start(admin, `peer-${nth}`))
    return new Place(mesh, { router, webPort, agentPath }, peers)
  }

  /** Several things happen at the same time. What happens to those who do them does not matter. */
  async wave(random: Random): Promise<void> {
    const actions = Array.from({ length: AT_ONE_TIME }, () => this.#action(random))
    for (const outcome of await Promise.allSettled(actions)) {
      if (outcome.status === 'rejected' && outcome.reason instanceof assert.AssertionError) throw outcome.reason
    }
  }

  /** All others go: the router is there, connected, and has nobody. */
  async settle(): Promise<void> {
    this.#mesh.network.mend('controller')
    for (const peer of this.#peers) {
      peer.welcome = 'refuses'
      peer.vanish()
    }
    await until('the router is connected', async () => (await this.#mesh.online()).join() === 'subject')
    await until('there is no link', async () => (await this.#mesh.pairs()).length === 0)
    const differences = () => this.#mesh.disagreements('name = "subject"')
    await until('the router says so too', async () => (await differences()).length === 0)
    await until('it is healthy', async () => JSON.parse(await this.#fetch('/health-checks')).data.healthy)
    assert.equal(await this.#agent(0x0a), await this.#agent(0x0a))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const peer of this.#peers) await peer[Symbol.asyncDispose]()
  }

  async #action(random: Random): Promise<void> {
    this.actions++
    const peer = random.oneOf(this.#peers)
    const { linkPort } = this.router
    switch (random.integer(14)) {
      case 0:
        // Not too often: who is cut off again and again waits longer each time.
        return random.integer(6) === 0 ? this.#cutController(random) : undefined
      case 1:
      case 2:
        peer.welcome = random.oneOf<Welcome>(['takes', 'takes', 'refuses', 'says nothing'])
        return peer.come()
      case 3:
        return peer.leave()
      case 4:
        return peer.vanish()
      case 5:
      case 6: {
        const channel = await peer.dial(linkPort)
        if (random.integer(2) === 0)
          await channel.send({ contentType: 60_785, body: Buffer.alloc(random.integer(9_000)) })
        await sleep(random.integer(100))
        if (random.integer(2) === 0) channel.close()
        return
      }
      case 7:
      case 8:
        return this.#changeModel(random)
      case 9:
        await this.#fetch(random.oneOf(['/health-checks', '/metrics']))
        return
      case 10:
        await this.#agent(random.oneOf([0x03, 0x04, 0x07, 0x0a, 0x16]))
        return
      case 11:
        return this.#halfRequests(random)
      default:
        return this.#knock(random, peer)
    }
  }

  async #cutController(random: Random): Promise<void> {
    this.#mesh.network.cut('controller', random.oneOf(['loud', 'silent']))
    await sleep(random.integer(300))
    this.#mesh.network.mend('controller', random.oneOf(['goes on', 'begins anew']))
  }

  async #changeModel(random: Random): Promise<void> {
    const { admin } = await this.#mesh.api()
    if (this.#identities.length > 10) {
      const [id] = this.#identities.splice(random.integer(this.#identities.length), 1)
      await admin.delete(`/identities/${id}`)
      return
    }
    const body = { name: `churn-${random.seed}-${this.#last++}`, type: 'Default', isAdmin: false }
    this.#identities.push(await admin.create('identities', body))
  }

  #fetch(path: string): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const { ca } = this.#mesh.controller
    request({ host: '127.0.0.1', port: this.#webPort, path, ca, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.once('close', () => resolve(text))
    })
      .on('error', reject)
      .end()
    return promise
  }

  /** What the local socket answers. */
  async #agent(operation: number): Promise<string> {
    const socket = connectTcp(this.#agentPath)
    let text = ''
    socket.setEncoding('utf8').on('data', (part) => (text += part))
    socket.write(Buffer.concat([agentMark, Buffer.from([operation])]))
    await once(socket, 'close')
    return text
  }

  /** Monitors and operators who hang up in the middle. */
  async #halfRequests(random: Random): Promise<void> {
    const monitor = await this.#tls(this.#webPort)
    monitor.write('GET /metrics HTTP/1.1\r\nHo')
    const operator = connectTcp(this.#agentPath)
    operator.on('error', () => {})
    operator.write(agentMark.subarray(0, random.integer(agentMark.length)))
    await sleep(random.integer(50))
    monitor.destroy()
    operator.destroy()
  }

  /** Somebody at the door of links who is no router, says something else, or nothing. */
  async #knock(random: Random, peer: LinkPeer): Promise<void> {
    const { certPem: cert, keyPem: key } = peer.tls.client
    const stranger = await this.#tls(this.router.linkPort, random.integer(3) > 0 ? { cert, key } : {})
    const said = { routerId: `nobody-${random.integer(5)}`, routerVersion: 'v2.1.0' }
    const hello = encodeHello({ id: 'link', headers: linkHello.encode('hello', said).headers })
    const words = [
      hello,
      hello.subarray(0, random.integer(hello.length)),
      Buffer.from('GET / HTTP/1.1\r\n\r\n'),
      Buffer.alloc(0),
    ]
    stranger.write(random.oneOf(words))
    await sleep(random.integer(100))
    stranger.destroy()
  }

  async #tls(port: number, certificate: { readonly cert?: string; readonly key?: string } = {}): Promise<TLSSocket> {
    const { ca } = this.#mesh.controller
    const ALPNProtocols = port === this.#webPort ? ['http/1.1'] : ['ziti-link']
    const socket = connectTls({ host: '127.0.0.1', port, ca, ALPNProtocols, ...certificate })
    socket.on('error', () => {})
    await once(socket, 'secureConnect')
    return socket
  }
}
