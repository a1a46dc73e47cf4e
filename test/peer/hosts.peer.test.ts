/** Several hosts of a service behind a stock router: which one a dial of a program on the Go SDK reaches. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { SdkProcess } from '../interop/sdk-process.ts'
import { until } from '../kit/patience.ts'
import { type Member, sessionKinds, TrafficNetwork } from './traffic-network.ts'

const network = await TrafficNetwork.start({ r1: {} })
after(() => network[Symbol.asyncDispose]())
const { admin } = network
const [left, right, client] = [
  await network.enroll('left', 'hosts', 'near-r1'),
  await network.enroll('right', 'hosts', 'near-r1'),
  await network.enroll('client', 'clients', 'near-r1'),
]

/** A host that says its name. */
function greeter(member: Member, service: string, ...flags: readonly string[]): Promise<SdkProcess> {
  return network.host(member, service, '--serve', 'greet', '--greeting', member.name, ...flags)
}

/** Who answers dials, one after another. */
async function answering(service: string, times: number, ...flags: readonly string[]): Promise<readonly string[]> {
  const often = ['--exchange', 'greet', '--times', `${times}`]
  await using dialled = network.dial(client, service, ...often, ...flags)
  await dialled.succeeds(60_000)
  return greetings(dialled)
}

function greetings(dialled: SdkProcess): readonly string[] {
  return dialled.all('exchanged').map(({ text }) => String(text))
}

/** Waits until the controller knows a terminator of the host as the host wants it. */
async function isKnown(host: Member, serviceId: string, wanted: { cost: number } | { precedence: string }) {
  await until(`the terminator of ${host.name} has ${JSON.stringify(wanted)}`, async () => {
    const [own] = await admin.list('/terminators', `service = "${serviceId}" and hostId = "${host.id}"`)
    return own !== undefined && Object.entries(wanted).every(([key, value]) => own[key] === value)
  })
}

for (const kind of sessionKinds) {
  test(`the cheapest host answers, and another one when that changes (${kind})`, { timeout: 120_000 }, async () => {
    const name = `cheapest-${kind}`
    const id = await network.service(name, { terminatorStrategy: 'smartrouting' })
    await using cheap = await greeter(left, name, '--session', kind, '--cost', '0')
    await using _dear = await greeter(right, name, '--session', kind, '--cost', '20000')
    assert.deepEqual(await answering(name, 5, '--session', kind), Array(5).fill('left'))
    cheap.answer('cost 40000')
    await isKnown(left, id, { cost: 40_000 })
    assert.deepEqual(await answering(name, 5, '--session', kind), Array(5).fill('right'))
  })

  test(`a host that says it has failed is the last resort, one that is required the first (${kind})`, {
    timeout: 120_000,
  }, async () => {
    const name = `precedence-${kind}`
    const id = await network.service(name, { terminatorStrategy: 'weighted' })
    await using one = await greeter(left, name, '--session', kind)
    await using other = await greeter(right, name, '--session', kind, '--precedence', 'failed')
    assert.deepEqual(await answering(name, 10, '--session', kind), Array(10).fill('left'))
    other.answer('precedence required')
    await isKnown(right, id, { precedence: 'required' })
    assert.deepEqual(await answering(name, 10, '--session', kind), Array(10).fill('right'))
    one.answer('precedence failed')
    other.answer('precedence failed')
    await isKnown(left, id, { precedence: 'failed' })
    await isKnown(right, id, { precedence: 'failed' })
    assert.equal((await answering(name, 2, '--session', kind)).length, 2)
  })

  for (const terminatorStrategy of ['random', 'weighted']) {
    test(`every host gets its share by the strategy ${terminatorStrategy} (${kind})`, {
      timeout: 120_000,
    }, async () => {
      const name = `${terminatorStrategy}-${kind}`
      await network.service(name, { terminatorStrategy })
      await using _one = await greeter(left, name, '--session', kind)
      await using _other = await greeter(right, name, '--session', kind)
      // That one of two equal hosts gets none of forty is as likely as 2 in 10^12.
      const answered = await answering(name, 40, '--session', kind, '--connections', '1')
      assert.deepEqual(new Set(answered), new Set(['left', 'right']))
    })
  }

  test(`a dial that presents what the one before was given reaches the same host (${kind})`, {
    timeout: 120_000,
  }, async () => {
    const name = `sticky-${kind}`
    const id = await network.service(name, { terminatorStrategy: 'sticky' })
    await using first = await greeter(left, name, '--session', kind)
    const often = ['--exchange', 'greet', '--times', '4', '--sticky', '--pause', '--session', kind]
    await using dialled = network.dial(client, name, ...often)
    await dialled.tells('paused')
    await using _second = await greeter(right, name, '--session', kind)
    first.answer('cost 30000')
    await isKnown(left, id, { cost: 30_000 })
    dialled.answer('again')
    await dialled.tells('paused', { at: 1 })
    assert.deepEqual(await answering(name, 2, '--session', kind), ['right', 'right'])
    first.answer('precedence failed')
    await isKnown(left, id, { precedence: 'failed' })
    dialled.answer('again')
    await dialled.tells('paused', { at: 2 })
    first.answer('precedence default')
    first.answer('cost 0')
    await isKnown(left, id, { precedence: 'default' })
    await isKnown(left, id, { cost: 0 })
    dialled.answer('again')
    await dialled.succeeds()
    assert.deepEqual(greetings(dialled), ['left', 'left', 'right', 'right'])
  })

  test(`an instance is dialled by its name, and is one host's alone (${kind})`, { timeout: 120_000 }, async () => {
    const name = `instances-${kind}`
    await network.service(name)
    await using _one = await greeter(left, name, '--session', kind, '--instance', 'one')
    await using _again = await greeter(left, name, '--session', kind, '--instance', 'one')
    await using _two = await greeter(right, name, '--session', kind, '--instance', 'two')
    const session = ['--session', kind]
    assert.deepEqual(await answering(name, 3, ...session, '--instance', 'one'), Array(3).fill('left'))
    assert.deepEqual(await answering(name, 3, ...session, '--instance', 'two'), Array(3).fill('right'))
    const dial = ['dial', '--identity', client.file, '--service', name, ...session, '--exchange', 'greet']
    const { message } = await network.sdk.fails([...dial, '--instance', 'three'])
    assert.match(String(message), /three/)
    const taken = ['host', '--identity', right.file, '--service', name, ...session, '--instance', 'one']
    const { message: refused } = await network.sdk.fails(taken)
    assert.match(String(refused), /listener is closed/)
  })
}
