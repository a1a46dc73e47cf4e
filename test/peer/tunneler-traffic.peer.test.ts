/** Traffic of stock tunnelers under our controller: in a router, and as a program of their own, to dial and to host. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { Child } from '../kit/child-process.ts'
import { freePort } from '../kit/free-port.ts'
import { until } from '../kit/patience.ts'
import { findPeer } from '../runner/find-peer.ts'
import { answersDatagrams, echoes, isListening, type LocalServer, tcpEcho, udpEcho } from './local-echo.ts'
import { type Member, TrafficNetwork } from './traffic-network.ts'

/** Where the tunneling router listens for each service that it dials itself. */
const proxied = { 'by-router': await freePort(), 'by-program': await freePort(), 'by-sdk': await freePort() }
const services = Object.entries(proxied).map(([service, port]) => `${service}:${port}`)
const network = await TrafficNetwork.start({
  r1: { tunnel: { mode: 'host' } },
  r2: { tunnel: { mode: 'proxy', services } },
})
after(() => network[Symbol.asyncDispose]())
const { admin, cli } = network
await network.isMeshed()
const client = await network.enroll('client', 'clients', 'near-r1')
const farClient = await network.enroll('far-client', 'clients', 'near-r2')
const host = await network.enroll('host', 'hosts', 'near-r1')
const [tcp, udp] = [await tcpEcho(), await udpEcho()]
after(() => Promise.all([tcp[Symbol.asyncDispose](), udp[Symbol.asyncDispose]()]))
// A tunneling router is an identity of its own id.
await admin.patch(`/identities/${network.router('r1').id}`, { roleAttributes: ['router-hosts'] })
await admin.patch(`/identities/${network.router('r2').id}`, { roleAttributes: ['clients'] })

const MIB = 2 ** 20
const TRANSFER_LIMIT = 120_000

/** A service that a tunneler hosts, by a config that the stock command line makes. */
async function tunneledService(
  name: string,
  protocol: 'tcp' | 'udp',
  { port }: Pick<LocalServer, 'port'>,
  hosts: string,
) {
  const where = JSON.stringify({ protocol, address: '127.0.0.1', port })
  const intercepted = { protocols: [protocol], addresses: [`${name}.weft`], portRanges: [{ low: 80, high: 80 }] }
  await cli.says('edge', 'create', 'config', `${name}-host`, 'host.v1', where)
  await cli.says('edge', 'create', 'config', `${name}-intercept`, 'intercept.v1', JSON.stringify(intercepted))
  await cli.says('edge', 'create', 'service', name, '-c', `${name}-host,${name}-intercept`, '-a', 'open')
  const id = await cli.idOf('services', name)
  await network.grant('Bind', hosts, id)
  return id
}

/** Waits until a tunneler hosts a service. */
async function isHosted(serviceId: string): Promise<void> {
  const hasTerminator = async () => (await admin.list('/terminators', `service = "${serviceId}"`)).length > 0
  await until('the service is hosted', hasTerminator, { within: 40_000, every: 100 })
}

function tunneler(member: Member, ...command: readonly string[]): Child {
  const args = ['tunnel', ...command, '-i', member.file, '--svcPollRate', '1', '--cli-agent=false']
  return new Child(findPeer(process.env)!, args, { cwd: cli.folder, env: { HOME: cli.folder } })
}

const routed = await tunneledService('by-router', 'tcp', tcp, '#router-hosts')
await isHosted(routed)

test('a program on the SDK reaches what a router hosts, over one router and over two', {
  timeout: 180_000,
}, async () => {
  for (const [member, path] of [
    [client, ['r1']],
    [farClient, ['r2', 'r1']],
  ] as const) {
    await using dialled = network.dial(member, 'by-router', '--connections', '4', '--bytes', `${4 * MIB}`)
    const { circuitId } = await dialled.tells('connected')
    assert.deepEqual(await network.pathOf(String(circuitId)), path)
    await dialled.succeeds(TRANSFER_LIMIT)
    for (const { said, heard } of dialled.all('exchanged')) assert.deepEqual(heard, said)
    assert.equal(dialled.all('exchanged').length, 4)
  }
})

test('a router dials what another router hosts', { timeout: 180_000 }, async () => {
  await isListening(proxied['by-router'])
  await Promise.all(Array.from({ length: 4 }, () => echoes(proxied['by-router'], { bytes: 4 * MIB, until: 'its end' })))
})

test('a tunneler dials what a router hosts', { timeout: 180_000 }, async () => {
  const port = await freePort()
  await using proxy = tunneler(farClient, 'proxy', `by-router:${port}`)
  await isListening(port)
  await Promise.all(Array.from({ length: 4 }, () => echoes(port, { bytes: 4 * MIB, until: 'its last byte' })))
  assert.ok(!proxy.hasEnded, proxy.stderr)
})

test('a router, a tunneler and a program on the SDK dial what a tunneler hosts', { timeout: 180_000 }, async () => {
  const id = await tunneledService('by-program', 'tcp', tcp, `@${host.id}`)
  await using hosting = tunneler(host, 'host')
  await isHosted(id)
  assert.ok(!hosting.hasEnded, hosting.stderr)
  await isListening(proxied['by-program'])
  await echoes(proxied['by-program'], { bytes: 8 * MIB, until: 'its end' })
  const port = await freePort()
  await using _proxy = tunneler(client, 'proxy', `by-program:${port}`)
  await isListening(port)
  await Promise.all(Array.from({ length: 4 }, () => echoes(port, { bytes: 4 * MIB, until: 'its end' })))
  await using dialled = network.dial(farClient, 'by-program', '--bytes', `${4 * MIB}`)
  await dialled.succeeds(TRANSFER_LIMIT)
  for (const { said, heard } of dialled.all('exchanged')) assert.deepEqual(heard, said)
})

test('a router and a tunneler dial what a program on the SDK hosts, who is told who dials', {
  timeout: 180_000,
}, async () => {
  await network.service('by-sdk')
  await using hosting = await network.host(host, 'by-sdk')
  await isListening(proxied['by-sdk'])
  await echoes(proxied['by-sdk'], { bytes: 8 * MIB, until: 'its end' })
  const port = await freePort()
  await using _proxy = tunneler(farClient, 'proxy', `by-sdk:${port}`)
  await isListening(port)
  await echoes(port, { bytes: 8 * MIB, until: 'its end' })
  await until('the host has been told of a dial by the tunneler', () =>
    hosting.all('accepted').some(({ dialerId }) => dialerId === farClient.id),
  )
})

test('datagrams pass from a tunneler to what a router hosts', { timeout: 180_000 }, async () => {
  await isHosted(await tunneledService('datagrams', 'udp', udp, '#router-hosts'))
  const port = await freePort()
  await using _proxy = tunneler(farClient, 'proxy', `datagrams:${port}:udp`)
  await answersDatagrams(port)
})

test('a dial that the server behind a router refuses fails with a reason', { timeout: 60_000 }, async () => {
  await isHosted(await tunneledService('deaf', 'tcp', { port: await freePort() }, '#router-hosts'))
  const { message } = await network.sdk.fails(['dial', '--identity', farClient.file, '--service', 'deaf'])
  assert.match(String(message), /refused/)
})

test('a router no longer hosts what it may not host, and no longer dials what it may not dial', {
  timeout: 180_000,
}, async () => {
  await admin.patch(`/identities/${network.router('r2').id}`, { roleAttributes: [] })
  await until('the router does not reach the service', async () => {
    const isRefused = await echoes(proxied['by-router'], { bytes: 1_000, until: 'its end' }).then(
      () => false,
      () => true,
    )
    return isRefused
  })
  await admin.patch(`/identities/${network.router('r1').id}`, { roleAttributes: [] })
  const isGone = async () => (await admin.list('/terminators', `service = "${routed}"`)).length === 0
  await until('the router does not host the service', isGone)
})
