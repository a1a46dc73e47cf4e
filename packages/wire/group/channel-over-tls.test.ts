import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Channel } from '../channel/channel.ts'
import { type ChannelPlan, controlPlan, linkPlan } from '../channel/channel-plan.ts'
import { Headers } from '../frame/headers.ts'
import { readFirstFrame } from '../hello/first-frame.ts'
import { decodeHello } from '../hello/hello.ts'
import { encodeHelloAnswer } from '../hello/hello-answer.ts'
import { certificates, clientMaterial, otherClientMaterial, serverMaterial } from '../testing/certificates.ts'
import { eventually } from '../testing/eventually.ts'
import { TlsPort } from '../transport/tls-port.ts'
import { ChannelAcceptor, HelloRefusal, type ReceivedHello } from './channel-acceptor.ts'
import { type ChannelDialOptions, dialChannel, dialUnderlay, type GroupDialOptions } from './dial-channel.ts'

const echo = 7_000
const policy = { base: 5, max: 50, minStable: 0, minDialInterval: 0, jitter: 0 }
const control: GroupDialOptions = {
  type: 'ctrl.default',
  desired: (first) => ({ 'ctrl.default': 1, 'ctrl.high': first.headers.has(1002) ? 1 : 0 }),
  policy,
}

function echoing(channel: Channel): void {
  channel.handle(echo, (message) => channel.reply(message, { contentType: echo, body: message.body }))
}

/** A listener on loopback, and a way to dial it. */
async function listener(t: TestContext, plan: ChannelPlan, check: (hello: ReceivedHello) => void = () => {}) {
  const accepted: Channel[] = []
  const hellos: ReceivedHello[] = []
  const acceptor = new ChannelAcceptor({
    id: 'ctrl1',
    admit(hello) {
      check(hello)
      hellos.push(hello)
      return {
        identity: hello.connection.fingerprint!,
        name: hello.id,
        plan,
        headers: new Headers().set(1002, Buffer.from([0x7e])),
        bind(channel) {
          accepted.push(channel)
          echoing(channel)
        },
      }
    },
  })
  const port = await TlsPort.open({ host: '127.0.0.1', port: 0, tls: serverMaterial })
  port.registerChannels(['ziti-ctrl'], (connection) => acceptor.accept(connection))
  t.after(async () => {
    await acceptor[Symbol.asyncDispose]()
    await port[Symbol.asyncDispose]()
  })
  const dial = (options: Partial<ChannelDialOptions> = {}) =>
    dialChannel({
      address: `tls:127.0.0.1:${port.address.port}`,
      protocols: ['ziti-ctrl'],
      tls: clientMaterial,
      name: 'dialed',
      plan,
      hello: () => ({ id: 'router1', headers: new Headers().set(4, 'v2.1.0|a|b|c|d') }),
      bind: echoing,
      ...options,
    })
  return { accepted, acceptor, dial, hellos }
}

test('a control channel comes up with all its connections and speaks both ways', async (t) => {
  const { accepted, dial, hellos } = await listener(t, controlPlan)
  await using channel = await dial({ group: control, expectedPeerId: 'ctrl1' })
  assert.equal(channel.peerId, 'ctrl1')
  assert.deepEqual(channel.first.headers.get(1002), Buffer.from([0x7e]))
  const reply = await channel.request({ contentType: echo, body: Buffer.from('there') })
  assert.equal(reply.body.toString(), 'there')
  await eventually(() => accepted[0]?.underlays.length === 2, 'both connections are there')
  const large = Buffer.alloc(300_000, 7)
  const back = await accepted[0]!.request({ contentType: echo, body: large }, { queue: 'high' })
  assert.ok(back.body.equals(large))
  assert.equal(accepted.length, 1)
  assert.equal(hellos.length, 2)
  assert.ok(
    hellos.every(({ connection }) => connection.certificates.length === 2 && connection.protocol === 'ziti-ctrl'),
  )
  assert.ok(hellos.every(({ headers }) => headers.text(4) === 'v2.1.0|a|b|c|d'))
})

test('a channel that lost its connections is back without being made again', async (t) => {
  const { accepted, dial } = await listener(t, controlPlan)
  await using channel = await dial({ group: control, plan: { ...controlPlan, minUnderlays: 0 } })
  let lost = 0
  channel.onUnderlayChange(({ kind }) => {
    if (kind === 'removed') lost++
  })
  for (let round = 1; round <= 3; round++) {
    await eventually(() => accepted[round - 1]?.underlays.length === 2, `both connections of round ${round}`)
    accepted[round - 1]!.close()
    // What is sent before the loss is noticed is lost too.
    await eventually(() => lost === 2 * round, 'both connections are gone')
    const reply = await channel.request(
      { contentType: echo, body: Buffer.from([round]) },
      { timeoutMilliseconds: 10_000 },
    )
    assert.equal(reply.body[0], round)
  }
  assert.equal(channel.isClosed, false)
})

test('a peer under another name than expected is refused, and so is one whose certificate is not liked', async (t) => {
  const { acceptor, dial } = await listener(t, controlPlan)
  await assert.rejects(dial({ expectedPeerId: 'ctrl2' }), { code: 'WRONG_PEER' })
  const check = () => {
    throw new Error('not this certificate')
  }
  await assert.rejects(dial({ check }), { message: 'not this certificate' })
  await eventually(() => acceptor.channels.size === 0, 'nothing is left')
})

test('a listener that does not name itself is whom its certificate names', async (t) => {
  const port = await TlsPort.open({ host: '127.0.0.1', port: 0, tls: serverMaterial })
  t.after(() => port[Symbol.asyncDispose]())
  port.registerChannels([''], async (connection) => {
    const { message } = await readFirstFrame(connection, { timeoutMilliseconds: 5_000 })
    connection.write(encodeHelloAnswer(decodeHello(message), { connectionId: 'one' }))
  })
  const address = `tls:127.0.0.1:${port.address.port}`
  const options = { address, tls: clientMaterial, hello: { id: 'router1' } }
  const name = new X509Certificate(certificates.server.certPem).toLegacyObject().subject.CN
  const { peerId, connection } = await dialUnderlay(options)
  connection.destroy()
  assert.ok(peerId !== '')
  assert.equal(peerId, name)
  await assert.rejects(dialUnderlay({ ...options, expectedPeerId: 'another' }), { code: 'WRONG_PEER' })
})

test('a listener that refuses one client serves another', async (t) => {
  const { accepted, dial } = await listener(t, linkPlan, ({ connection }) => {
    if (connection.fingerprint === refused) throw new HelloRefusal('unknown router', 'not permitted')
  })
  let refused: string | undefined
  await using first = await dial()
  refused = accepted[0]!.first.connection.fingerprint
  first.close()
  await assert.rejects(dial(), { code: 'HELLO_REFUSED', reason: 'not permitted' })
  await using other = await dial({ tls: otherClientMaterial })
  await other.request({ contentType: echo })
})

test('many channels come and go, and nothing of them stays', async (t) => {
  const { acceptor, dial } = await listener(t, controlPlan)
  const before = process.getActiveResourcesInfo().length
  for (let round = 0; round < 4; round++) {
    const channels = await Promise.all(Array.from({ length: 12 }, () => dial({ group: control })))
    await Promise.all(
      channels.map((channel) => channel.request({ contentType: echo }, { timeoutMilliseconds: 10_000 })),
    )
    for (const channel of channels) channel.close()
    await eventually(() => acceptor.channels.size === 0 && acceptor.pending === 0, 'all are gone')
  }
  await eventually(() => process.getActiveResourcesInfo().length <= before + 2, 'no socket or timer is left')
})
