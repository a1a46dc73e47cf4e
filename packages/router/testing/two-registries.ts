/** Two routers of which only the links are real: each dial is a channel over loopback whose other end the other accepts. */
import { type ChannelPlan, linkPlan } from '@weft/wire'
import type { LinkDialerConfig } from '../config/link-config.ts'
import { Link } from '../link/link.ts'
import { LinkMeters } from '../link/link-meters.ts'
import { LinkRegistry } from '../link/link-registry.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import { channelPair } from './channel-pair.ts'

const silent = { debug() {}, info() {}, warn() {}, error() {} }
const plan: ChannelPlan = { ...linkPlan, underlays: {} }

export const testDialer: LinkDialerConfig = {
  bindInterface: '',
  localBinding: undefined,
  groups: ['default'],
  split: true,
  maxDefaultConnections: 1,
  maxAckConnections: 0,
  startupDelay: 0,
  healthyDialBackoff: { minRetryInterval: 20, maxRetryInterval: 100, retryBackoffFactor: 1.5 },
  unhealthyDialBackoff: { minRetryInterval: 60_000, maxRetryInterval: 60_000, retryBackoffFactor: 10 },
  options: { outQueueSize: 4, connectTimeout: 5_000, writeTimeout: undefined },
}

/** One of the two. */
export interface TestRouter {
  readonly id: string
  readonly registry: LinkRegistry
  /** What was followed, as `established <id> <iteration>` and so on. */
  readonly events: string[]
  /** What dials come to: nothing, a failure, or the wait for a permission. */
  dialing: 'works' | 'fails' | Promise<void>
}

export class TwoRegistries implements AsyncDisposable {
  readonly time = { now: 0 }
  readonly #meters = new LinkMeters(new MetricsRegistry({ monotonic: () => this.time.now, random: Math.random }))
  readonly #pairs = new AsyncDisposableStack()
  readonly a: TestRouter = this.#router('a', () => this.b)
  readonly b: TestRouter = this.#router('b', () => this.a)

  /** A controller tells one of them of the other. */
  tell(router: TestRouter, state: 'Healthy' | 'Unhealthy' | 'Removed' = 'Healthy', address = 'tls:127.0.0.1:1'): void {
    const id = router.id === 'a' ? 'b' : 'a'
    const listeners = [{ address, protocol: 'tls', groups: ['default'], localBinding: '' }]
    router.registry.applyPeerState({ id, version: 'v2.1.0', state, listeners: state === 'Healthy' ? listeners : [] })
  }

  /** A link that somebody dialled and one of them accepts. */
  async comesTo(
    router: TestRouter,
    linkId: string,
    iteration = 1,
    from = router.id === 'a' ? 'b' : 'a',
  ): Promise<Link> {
    const { far } = await this.#pair()
    const link = this.#link(far, { id: linkId, routerId: from, iteration, isDialed: false })
    router.registry.accepted(link)
    return link
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.a.registry[Symbol.asyncDispose]()
    await this.b.registry[Symbol.asyncDispose]()
    await this.#pairs.disposeAsync()
  }

  #router(id: string, other: () => TestRouter): TestRouter {
    const events: string[] = []
    const note = (what: string) => (link: Link) => void events.push(`${what} ${link.id} ${link.facts.iteration}`)
    const router: { -readonly [K in keyof TestRouter]: TestRouter[K] } = {
      ...{ id, events, dialing: 'works' },
      registry: new LinkRegistry(
        {
          routerId: id,
          dial: async ({ linkId, iteration, address }) => {
            if (router.dialing === 'fails') throw new Error('refused')
            if (router.dialing !== 'works') await router.dialing
            const { near, far } = await this.#pair()
            const facts = { id: linkId, iteration }
            other().registry.accepted(this.#link(far, { ...facts, routerId: id, isDialed: false }))
            return this.#link(near, { ...facts, routerId: other().id, isDialed: true, dialAddress: address })
          },
          pool: { offer: (work) => void work() === undefined },
          meters: this.#meters,
          follower: {
            established: note('established'),
            changed: note('changed'),
            failed: note('failed'),
            duplicate: note('duplicate'),
          },
          clock: { now: () => this.time.now, monotonic: () => this.time.now },
          random: () => 0.5,
          log: silent,
        },
        [testDialer],
      ),
    }
    return router
  }

  async #pair() {
    return this.#pairs.use(await channelPair({ plan }))
  }

  #link(
    channel: Awaited<ReturnType<typeof channelPair>>['near'],
    facts: { id: string; routerId: string; iteration: number; isDialed: boolean; dialAddress?: string },
  ): Link {
    const key = `default->tls:${facts.routerId}->default`
    const whole = { key, routerVersion: 'v2.1.0', protocol: 'tls', dialAddress: '', ...facts }
    return new Link(whole, { kind: 'single', channel }, this.#meters.take(facts.id), this.time.now)
  }
}
