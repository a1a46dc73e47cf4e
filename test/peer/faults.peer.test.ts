/**
 * Stock routers and our controller are killed, frozen and cut off in random order. Once everything runs again, all are connected,
 * with one link between each two, and the terminator of the one host; nothing stale is left, and traffic flows.
 * WEFT_SEED repeats a schedule, WEFT_FAULT_ROUNDS makes it longer.
 */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { BreakableNetwork } from '../kit/breakable-network.ts'
import { chooseDamages, cutOff, type Damage, frozen } from '../kit/damages.ts'
import { slack, until } from '../kit/patience.ts'
import { seededRandom, shuffled } from '../kit/random.ts'
import { TrafficNetwork } from './traffic-network.ts'

const rounds = Number(process.env.WEFT_FAULT_ROUNDS ?? (process.env.WEFT_LONG ? 50 : 4))
const random = seededRandom()

const wires = new BreakableNetwork()
after(() => wires[Symbol.asyncDispose]())
const through = async (name: string) => {
  return { sections: { proxy: { type: 'http', address: `127.0.0.1:${await wires.proxyFor(name)}` } } }
}
const routers = { r1: await through('r1'), r2: await through('r2'), r3: await through('r3') }
const network = await TrafficNetwork.start(routers)
after(() => network[Symbol.asyncDispose]())
for (const { name, port } of network.routers.values()) wires.listensAt(name, port)
const client = await network.enroll('client', 'clients', 'near-r1')
const host = await network.enroll('host', 'hosts', 'near-r3')
const serviceId = await network.service('echo')
const hosting = await network.host(host, 'echo')
after(() => hosting[Symbol.asyncDispose]())

/** From the moment that all could connect. */
const COME_BACK = 10_000 * slack
/** The SDK tries again at times of its own. */
const HOST_AGAIN = 60_000

function damages(): readonly (readonly Damage[])[] {
  const { child } = network.controller
  const ofRouters = network.routers
    .values()
    .map((router) => [
      { name: `${router.name} is killed`, happen: () => router.kill(), mend: () => router.restart() },
      frozen(router.name, (signal) => router.signal(signal)),
      ...cutOff(wires, router.name, random),
    ])
  const ofController = [
    { name: 'the controller is killed', happen: () => network.killController(), mend: () => network.runController() },
    frozen('the controller', (signal) => child.signal(signal)),
    ...cutOff(wires, 'controller', random),
  ]
  return [...ofRouters, ofController]
}

test(`all come back, whatever happens (seed ${random.seed})`, {
  timeout: 300_000 + rounds * 120_000,
}, async (context) => {
  await network.isMeshed()
  for (let round = 1; round <= rounds; round++) {
    const happening = chooseDamages(damages(), random)
    for (const { happen } of happening) {
      await happen()
      await sleep(random.integer(1_000))
    }
    await sleep(random.integer(3_000))
    for (const { mend } of shuffled(happening, random)) await mend()
    const mended = performance.now()
    const since = () => `${Math.round(performance.now() - mended)} ms`
    await areOnline()
    const online = since()
    // Until a fault is noticed all looks well; what holds afterwards holds once traffic flows.
    await until('traffic flows', isFlowing, { within: HOST_AGAIN, every: 500 })
    const flowing = since()
    await areOnline()
    await network.isLinked(COME_BACK)
    await until('the host is there once', isHostedOnce, { within: COME_BACK })
    const what = happening.map(({ name }) => name).join(', ')
    context.diagnostic(`${what}: online after ${online}, traffic after ${flowing}, settled after ${since()}`)
  }
  await until('there is no circuit', async () => (await network.fabric('/circuits')).length === 0)
  for (const what of ['router-links', 'router-sdk-terminators', 'router-data-model', 'circuits']) {
    // Routers forget a circuit a while after its end.
    const isValid = async () => /\b0 errors found/.test((await network.cli.run('fabric', 'validate', what)).stdout)
    await until(`${what} are valid`, isValid, { within: 60_000, every: 500 })
  }
})

async function areOnline(): Promise<void> {
  await Promise.all(network.routers.values().map((router) => router.isOnline(true, COME_BACK)))
}

async function isFlowing(): Promise<boolean> {
  const dial = ['dial', '--identity', client.file, '--service', 'echo', '--bytes', '1000000']
  const { status, events } = await network.sdk.run(dial)
  const exchanged = events.filter(({ event }) => event === 'exchanged')
  for (const { said, heard } of exchanged) assert.deepEqual(heard, said)
  return status === 0
}

async function isHostedOnce(): Promise<boolean> {
  const terminators = await network.admin.list('/terminators', `service = "${serviceId}"`)
  return terminators.length === 1
}
