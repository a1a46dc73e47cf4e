/**
 * Programs on the Go SDK carry traffic through a mesh of stock routers under our controller: over two routers, over three,
 * and on when the way, a router or the controller goes.
 */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { managementMessages } from '@weft/wire/messages'
import type { SdkProcess } from '../interop/sdk-process.ts'
import type { Json } from '../kit/api-client.ts'
import { TestStream } from '../kit/management-stream.ts'
import { slack, until } from '../kit/patience.ts'
import { sessionKinds, TrafficNetwork } from './traffic-network.ts'

const network = await TrafficNetwork.start({ r1: {}, r2: {}, r3: {} })
after(() => network[Symbol.asyncDispose]())
const { cli } = network
const client = await network.enroll('client', 'clients', 'near-r1')
const host = await network.enroll('host', 'hosts', 'near-r3')
await network.isMeshed()

const MIB = 2 ** 20
const TRANSFER_LIMIT = 120_000
/** Makes a transfer last long enough for something to happen to it. */
const paced = ['--bytes', `${16 * MIB}`, '--rate', `${2 * MIB}`]

interface Link {
  readonly id: string
  readonly sourceRouter: { readonly name: string }
  readonly destRouter: { readonly name: string }
}

async function linkBetween(one: string, other: string): Promise<string> {
  const links = (await network.fabric('/links?limit=500')) as unknown as Link[]
  const isMeant = ({ sourceRouter, destRouter }: Link) =>
    (sourceRouter.name === one && destRouter.name === other) || (sourceRouter.name === other && destRouter.name === one)
  const found = links.filter(isMeant)
  assert.equal(found.length, 1, `there are ${found.length} links between ${one} and ${other}`)
  return found[0]!.id
}

/** What was said must have been heard, byte for byte. */
function judge(dialled: SdkProcess, connections: number): void {
  const exchanged = dialled.all('exchanged')
  assert.equal(exchanged.length, connections, dialled.report)
  for (const { said, heard } of exchanged) assert.deepEqual(heard, said)
}

async function pathOf(dialled: SdkProcess): Promise<readonly string[] | undefined> {
  return network.pathOf(String((await dialled.tells('connected'))['circuitId']))
}

/** Costs more than a busy machine makes of any latency. */
const DEAR = 5_000

/** Sends new circuits straight from the client's router to the host's, or over the router between them. */
async function prefer(way: 'direct' | 'transit'): Promise<void> {
  const costs = { r1r3: way === 'direct' ? 1 : DEAR, r1r2: way === 'direct' ? DEAR : 1 }
  await cli.says('fabric', 'update', 'link', await linkBetween('r1', 'r3'), '--static-cost', `${costs.r1r3}`)
  await cli.says('fabric', 'update', 'link', await linkBetween('r1', 'r2'), '--static-cost', `${costs.r1r2}`)
}

for (const kind of sessionKinds) {
  const session = ['--session', kind]

  test(`two routers carry large transfers both ways (${kind})`, { timeout: 240_000 }, async () => {
    await prefer('direct')
    await network.service(`two-${kind}`)
    await using _host = await network.host(host, `two-${kind}`, ...session)
    await using dialled = network.dial(client, `two-${kind}`, ...session, '--connections', '4', '--bytes', `${8 * MIB}`)
    assert.deepEqual(await pathOf(dialled), ['r1', 'r3'])
    await dialled.succeeds(TRANSFER_LIMIT)
    judge(dialled, 4)
  })

  test(`three routers carry large transfers, and half closes (${kind})`, { timeout: 240_000 }, async () => {
    await prefer('transit')
    await network.service(`three-${kind}`)
    await using _sink = await network.host(host, `three-${kind}`, ...session, '--serve', 'sink')
    const flags = ['--exchange', 'sink', '--connections', '4', '--bytes', `${8 * MIB}`]
    await using dialled = network.dial(client, `three-${kind}`, ...session, ...flags)
    assert.deepEqual(await pathOf(dialled), ['r1', 'r2', 'r3'])
    await dialled.succeeds(TRANSFER_LIMIT)
    judge(dialled, 4)
  })
}

for (const kind of sessionKinds) {
  const session = ['--session', kind]
  test(`a transfer goes on when its transit router is killed (${kind})`, { timeout: 240_000 }, async () => {
    await prefer('transit')
    await network.service(`killed-${kind}`)
    await using _host = await network.host(host, `killed-${kind}`, ...session)
    await using dialled = network.dial(client, `killed-${kind}`, ...session, ...paced, '--connections', '3')
    assert.deepEqual(await pathOf(dialled), ['r1', 'r2', 'r3'])
    await dialled.tells('halfway')
    await network.router('r2').kill()
    await until('the circuit has moved', async () => (await pathOf(dialled))?.join() === 'r1,r3')
    await dialled.succeeds(TRANSFER_LIMIT)
    judge(dialled, 3)
    network.router('r2').restart()
    await network.router('r2').isOnline(true)
    await network.isMeshed()
  })
}

test('a transfer moves when its link is taken down', {
  timeout: 240_000,
}, async () => {
  await prefer('direct')
  await network.service('moved')
  await using _host = await network.host(host, 'moved')
  await using dialled = network.dial(client, 'moved', ...paced)
  assert.deepEqual(await pathOf(dialled), ['r1', 'r3'])
  const direct = await linkBetween('r1', 'r3')
  await cli.says('fabric', 'update', 'link', direct, '--down')
  await until('the circuit has moved', async () => (await pathOf(dialled))?.join() === 'r1,r2,r3')
  await dialled.succeeds(TRANSFER_LIMIT)
  judge(dialled, 1)
  await cli.says('fabric', 'update', 'link', direct, '--down=false')
})

test('a circuit moves when another way has become much cheaper', { timeout: 120_000 }, async () => {
  await prefer('direct')
  await network.service('cheaper')
  await using _host = await network.host(host, 'cheaper')
  await using dialled = network.dial(client, 'cheaper', '--exchange', 'hold')
  await dialled.tells('holding')
  assert.deepEqual(await pathOf(dialled), ['r1', 'r3'])
  await prefer('transit')
  const hasMoved = async () => (await pathOf(dialled))?.join() === 'r1,r2,r3'
  await until('the circuit has moved', hasMoved, { within: 60_000 })
  await sleep(500)
  assert.equal(dialled.all('exchanged').length, 0, dialled.report)
})

test('a circuit is traced over the links that carry it, and no other is', { timeout: 120_000 }, async () => {
  await prefer('transit')
  await using stream = await TestStream.open(network.controller, network.admin.token)
  const traces = stream.collect('trace')
  await stream.channel.send(managementMessages.encode('streamTraces', { body: {} }))
  const toggle = async (enable: boolean) => {
    const body = { enable, serviceRegex: '^traced$', clientRegex: '^client$' }
    const { success, body: text } = (await stream.request('toggleCircuitTraces', { body })).message
    assert.equal(success, true, text)
  }
  await toggle(true)
  for (const service of ['traced', 'other']) await network.service(service)
  await using _host = await network.host(host, 'traced')
  await using _other = await network.host(host, 'other')
  await using dialled = network.dial(client, 'traced', '--bytes', `${8 * MIB}`, '--rate', `${2 * MIB}`)
  await using beside = network.dial(client, 'other', '--bytes', `${8 * MIB}`, '--rate', `${2 * MIB}`)
  const { circuitId } = await dialled.tells('connected')
  await dialled.succeeds(TRANSFER_LIMIT)
  await beside.succeeds(TRANSFER_LIMIT)
  await toggle(false)
  const shown = traces.map(({ body }) => ({ ...body, decode: JSON.parse(String(body.decode)) as Json }))
  assert.deepEqual(new Set(shown.map(({ decode }) => decode['circuitId'])), new Set([circuitId]))
  const payloads = shown.filter(({ decode }) => decode['__message__'] === 'Payload')
  const seenBy = new Set(payloads.map(({ identity }) => identity))
  assert.deepEqual(seenBy, new Set(['r1', 'r2', 'r3'].map((name) => network.router(name).id)))
  const routed = shown.filter(({ identity, decode }) => identity === 'controller' && decode['__message__'] === 'route')
  assert.equal(routed.length, 3, 'each router was given its route')
})

test('a transfer goes on while the controller is killed and started again', { timeout: 240_000 }, async () => {
  await prefer('transit')
  await network.service('orphaned')
  await using hosting = await network.host(host, 'orphaned')
  await using dialled = network.dial(client, 'orphaned', ...paced, '--connections', '2')
  await dialled.tells('halfway')
  await network.restartController()
  const back = network.routers.values().map((router) => router.isOnline(true, 10_000 * slack))
  await Promise.all(back)
  await dialled.succeeds(TRANSFER_LIMIT)
  judge(dialled, 2)
  // The host has not noticed, and new circuits find it.
  await network.isMeshed()
  await using again = network.dial(client, 'orphaned', '--bytes', `${MIB}`)
  await again.succeeds()
  judge(again, 1)
  assert.equal(hosting.all('listener-closed').length, 0)
})

test('a transfer goes on while the controller hangs', {
  timeout: 240_000,
}, async () => {
  await network.service('frozen')
  await using _host = await network.host(host, 'frozen')
  await using dialled = network.dial(client, 'frozen', ...paced)
  await dialled.tells('connected')
  network.controller.child.signal('SIGSTOP')
  await dialled.tells('halfway')
  await sleep(1_000)
  network.controller.child.signal('SIGCONT')
  await dialled.succeeds(TRANSFER_LIMIT)
  judge(dialled, 1)
  for (const router of network.routers.values()) await router.isOnline(true)
})
