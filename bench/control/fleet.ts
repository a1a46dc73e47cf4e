/**
 * Simulated routers of one controller: made and enrolled over its API, before anything is measured; then they connect
 * and go, as many as a measurement wants.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeCertificates, encodePrivateKey, enrollRouter, generatePrivateKey } from '@weft/pki'
import {
  type ModelListener,
  SimulatedRouter,
  type SimulatedRouterOptions,
} from '../../packages/wire/testing/simulated-router.ts'
import type { Contender } from '../contender.ts'
import { LoadConnection } from '../load/connection.ts'

/** Routers that enroll, and that dial, at one time. */
const AT_ONE_TIME = 32
const PATIENCE = 180_000
const MOST_DIALS = 20
/** Before a router that was turned away comes again. */
const REDIAL = 200

/** How the routers of a fleet came in. */
export interface Arrival {
  /** Of each router, from its dial until it has the whole data model. Milliseconds. */
  readonly latencies: readonly number[]
  readonly seconds: number
}

export class Fleet {
  readonly contender: Contender
  /** Those that are connected. */
  routers: readonly SimulatedRouter[] = []
  /** What is told of the data model goes here. */
  listener: ModelListener = {}
  readonly #enrolled: readonly SimulatedRouterOptions[]

  private constructor(contender: Contender, enrolled: readonly SimulatedRouterOptions[]) {
    this.contender = contender
    this.#enrolled = enrolled
  }

  /** Makes so many routers that can connect. */
  static async enroll(contender: Contender, label: string, size: number): Promise<Fleet> {
    const key = await generatePrivateKey('P-256')
    const enrolled = await inParallel(
      Array.from({ length: size }, (_, nth) => nth),
      async (nth) => {
        const body = { name: `${label}-router-${nth}` }
        const { data: made } = await contender.call<{ id: string }>('POST', '/edge-routers', body)
        const { data } = await contender.call<{ enrollmentJwt: string }>('GET', `/edge-routers/${made.id}`)
        const router = await enrollRouter(data.enrollmentJwt, { key })
        const client = { certPem: encodeCertificates(router.clientChain), keyPem: encodePrivateKey(key) }
        const tls = { client, caPem: encodeCertificates(router.authorities) }
        const [address] = router.controllerAddresses
        if (address === undefined) throw new Error('the token does not say where routers connect')
        return { routerId: router.routerId, address, tls, hasUrgentConnection: true, timeoutMilliseconds: PATIENCE }
      },
    )
    return new Fleet(contender, enrolled)
  }

  /** Connects the first so many: both connections of each, its greeting, and the whole data model. */
  async connect(size: number): Promise<Arrival> {
    const latencies: number[] = []
    const listener: ModelListener = { changeSet: (body) => this.listener.changeSet?.(body) }
    const began = performance.now()
    this.routers = await inParallel(this.#enrolled.slice(0, size), async (options) => {
      const dialled = performance.now()
      const router = await connected(options, listener)
      await router.ready()
      await isComplete(router)
      latencies.push(performance.now() - dialled)
      return router
    })
    return { latencies, seconds: (performance.now() - began) / 1_000 }
  }

  /** Until the controller knows that all of them are gone. */
  async disconnect(): Promise<void> {
    const gone = this.routers
    this.routers = []
    for (const router of gone) await router[Symbol.asyncDispose]()
    using connection = await LoadConnection.open(this.contender.endpoint, { keepsBody: true })
    for (const { routerId } of gone) {
      await until(`router ${routerId} is offline`, async () => {
        const path = `/edge-routers/${routerId}`
        const { data } = await this.contender.callOn<{ isOnline: boolean }>(connection, 'GET', path)
        return !data.isOnline
      })
    }
  }
}

/** A controller that is asked by many at once may turn some away; they come again, as routers do. */
async function connected(options: SimulatedRouterOptions, listener: ModelListener): Promise<SimulatedRouter> {
  for (let left = MOST_DIALS; ; left--) {
    try {
      return await SimulatedRouter.connect(options, listener)
    } catch (error) {
      if (left === 0) throw error
      await sleep(REDIAL)
    }
  }
}

/** Asks until it is so. */
export async function until(what: string, ask: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE
  while (!(await ask())) {
    if (performance.now() > deadline) throw new Error(`waited ${PATIENCE / 1_000} s in vain: ${what}`)
    await sleep(10)
  }
}

/** Resolves when the connection for what is urgent is there too. */
async function isComplete({ channel }: SimulatedRouter): Promise<void> {
  if (channel.countOf('ctrl.high') > 0) return
  const { promise, resolve } = Promise.withResolvers<void>()
  channel.onUnderlayChange(({ kind }) => {
    if (kind === 'added') resolve()
  })
  await Promise.race([promise, channel.closed])
}

/** Some at a time, in order. */
async function inParallel<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const waiting = items.entries()
  const workers = Array.from({ length: Math.min(AT_ONE_TIME, items.length) }, async () => {
    for (const [at, item] of waiting) results[at] = await run(item)
  })
  await Promise.all(workers)
  return results
}
