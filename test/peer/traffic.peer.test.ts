/** Programs on the Go SDK carry traffic through one stock router under our controller, with sessions of either kind. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { SdkEvent } from '../interop/sdk-client.ts'
import type { SdkProcess } from '../interop/sdk-process.ts'
import { until } from '../kit/patience.ts'
import { sessionKinds, TrafficNetwork } from './traffic-network.ts'

const network = await TrafficNetwork.start({ r1: {} })
after(() => network[Symbol.asyncDispose]())
const { admin } = network
const host = await network.enroll('host', 'hosts', 'near-r1')
const client = await network.enroll('client', 'clients', 'near-r1')

/** Long enough for the largest transfer on a busy machine. */
const TRANSFER_LIMIT = 120_000
const MIB = 2 ** 20

interface Exchanged extends SdkEvent {
  readonly said: { readonly bytes: number; readonly sha256: string }
  readonly heard: { readonly bytes: number; readonly sha256: string }
}

/** What the exchanges said and heard, each of which must have been heard as it was said. */
function judgeEchoes(dialled: SdkProcess, connections: number, bytes: number): void {
  const exchanged = dialled.all('exchanged') as Exchanged[]
  assert.equal(exchanged.length, connections, dialled.report)
  for (const { said, heard } of exchanged) {
    assert.equal(said.bytes, bytes)
    assert.deepEqual(heard, said)
  }
  assert.equal(new Set(exchanged.map(({ said }) => said.sha256)).size, connections)
}

for (const kind of sessionKinds) {
  const session = ['--session', kind]
  for (const encryptionRequired of [true, false]) {
    const name = `${kind}-${encryptionRequired ? 'encrypted' : 'plain'}`

    test(`what is said comes back, over many circuits at a time (${name})`, { timeout: 240_000 }, async () => {
      await network.service(`echo-${name}`, { encryptionRequired })
      await using hosting = await network.host(host, `echo-${name}`, ...session)
      const flags = ['--connections', '8', '--bytes', `${2 * MIB}`]
      await using dialled = network.dial(client, `echo-${name}`, ...session, ...flags)
      await dialled.succeeds(TRANSFER_LIMIT)
      judgeEchoes(dialled, 8, 2 * MIB)
      assert.equal((await dialled.tells('authenticated'))['kind'], kind)
      assert.equal(new Set(dialled.all('connected').map(({ circuitId }) => circuitId)).size, 8)
      const circuits = new Set(dialled.all('connected').map(({ circuitId }) => circuitId))
      await until('the host has heard the end of each', () => hosting.all('served').length === 8)
      for (const accepted of hosting.all('accepted')) {
        assert.ok(circuits.has(accepted['circuitId']))
        assert.deepEqual([accepted['dialerId'], accepted['dialerName']], [client.id, client.name])
      }
    })
  }

  test(`a large transfer arrives whole, and a half close leaves the other half open (${kind})`, {
    timeout: 300_000,
  }, async () => {
    await network.service(`sink-${kind}`)
    await network.service(`source-${kind}`)
    await using sink = await network.host(host, `sink-${kind}`, ...session, '--serve', 'sink')
    await using into = network.dial(client, `sink-${kind}`, ...session, '--exchange', 'sink', '--bytes', `${48 * MIB}`)
    await into.succeeds(TRANSFER_LIMIT)
    judgeEchoes(into, 1, 48 * MIB)
    assert.equal((await sink.tells('served'))['bytes'], 48 * MIB)

    const pour = ['--serve', 'source', '--bytes', `${48 * MIB}`]
    await using source = await network.host(host, `source-${kind}`, ...session, ...pour)
    await using out = network.dial(client, `source-${kind}`, ...session, '--exchange', 'source', '--bytes', '1000')
    await out.succeeds(TRANSFER_LIMIT)
    const [{ said, heard }] = out.all('exchanged') as [Exchanged]
    assert.equal(heard.bytes, 48 * MIB)
    // The host ended its side before; what the client said then is still heard.
    const served = await source.tells('served')
    assert.deepEqual({ bytes: served['bytes'], sha256: served['sha256'] }, said)
  })
}

for (const kind of sessionKinds) {
  test(`a program that has renewed its session goes on over the same router (${kind})`, {
    timeout: 120_000,
  }, async () => {
    await network.service(`renewed-${kind}`)
    await using _host = await network.host(host, `renewed-${kind}`, '--session', kind)
    const flags = ['--session', kind, '--times', '4', '--refresh', '--bytes', '10000']
    await using dialled = network.dial(client, `renewed-${kind}`, ...flags)
    await dialled.succeeds()
    assert.equal(dialled.all('exchanged').length, 4)
    const refreshed = dialled.all('refreshed').map(({ isNewToken }) => isNewToken)
    assert.deepEqual(refreshed, Array(3).fill(kind === 'oidc'))
  })
}

test('the SDK controls the flow itself', { timeout: 120_000 }, async () => {
  await network.service('own-flow')
  await using hosting = await network.host(host, 'own-flow', '--flow-control')
  const flags = ['--flow-control', '--connections', '4', '--bytes', `${2 * MIB}`, '--app-data', 'hello host']
  await using dialled = network.dial(client, 'own-flow', ...flags)
  await dialled.succeeds(TRANSFER_LIMIT)
  judgeEchoes(dialled, 4, 2 * MIB)
  assert.equal((await hosting.tells('accepted'))['appData'], 'hello host')
})

test('a service without a host, or one that is not granted, is refused with a reason', {
  timeout: 60_000,
}, async () => {
  await network.service('lonely')
  await network.service('closed', { roleAttributes: [] })
  const lonely = await network.sdk.fails(['dial', '--identity', client.file, '--service', 'lonely'])
  assert.match(String(lonely['message']), /service \S+ has no terminators/)
  const closed = await network.sdk.fails(['dial', '--identity', client.file, '--service', 'closed'])
  assert.match(String(closed['message']), /service 'closed' not found/)
})

test('no circuit and no terminator is left when programs have ended', { timeout: 60_000 }, async () => {
  await until('there is no circuit', async () => (await network.fabric('/circuits')).length === 0)
  await until('there is no terminator', async () => (await admin.list('/terminators')).length === 0)
})
