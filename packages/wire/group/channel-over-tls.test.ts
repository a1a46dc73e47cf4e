import assert from 'node:assert/strict'
import { test } from 'node:test'
import { controlPlan } from '../channel/channel-plan.ts'
import { replyTo } from '../frame/channel-headers.ts'
import { Headers } from '../frame/headers.ts'
import { type Channel, type Connection, TlsPort } from '../index.ts'
import { certificates, clientMaterial, serverMaterial } from '../testing/certificates.ts'
import { ChannelAcceptor } from './channel-acceptor.ts'
import { dialChannel } from './dial-channel.ts'

const echo = 7_000

function echoing(channel: Channel): void {
  channel.handle(echo, (message) => channel.reply(message, { contentType: echo, body: message.body }))
}

test('a grouped control channel comes up over TLS with all its connections', async () => {
  const accepted: Channel[] = []
  const seen: Connection[] = []
  await using acceptor = new ChannelAcceptor({
    id: 'ctrl1',
    admit: (hello) => {
      seen.push(hello.connection)
      return {
        identity: hello.connection.fingerprint!,
        name: `ctrl ${hello.id}`,
        plan: controlPlan,
        headers: new Headers().set(1002, Buffer.from([0x7e])),
        bind(channel) {
          accepted.push(channel)
          echoing(channel)
        },
      }
    },
  })
  await using port = await TlsPort.open({ host: '127.0.0.1', port: 0, tls: serverMaterial })
  port.registerChannels(['ziti-ctrl'], (connection) => acceptor.accept(connection))
  await using channel = await dialChannel({
    address: `tls:127.0.0.1:${port.address.port}`,
    protocols: ['ziti-ctrl'],
    tls: clientMaterial,
    name: 'to the controller',
    plan: { ...controlPlan, minUnderlays: 0 },
    hello: () => ({ id: 'router1', headers: new Headers().set(4, 'v2.1.0|a|b|c|d') }),
    group: { type: 'ctrl.default', desired: { 'ctrl.default': 1, 'ctrl.high': 1 } },
    bind: echoing,
  })
  assert.equal(channel.peerId, 'ctrl1')
  assert.deepEqual(channel.first.headers.get(1002), Buffer.from([0x7e]))
  const reply = await channel.request({ contentType: echo, body: Buffer.from('there') })
  assert.equal(reply.body.toString(), 'there')
  while (channel.underlays.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
  const [there] = accepted
  assert.equal(accepted.length, 1)
  while (there!.underlays.length < 2) await new Promise((resolve) => setTimeout(resolve, 10))
  const back = await there!.request({ contentType: echo, body: Buffer.alloc(300_000, 7) }, { queue: 'high' })
  assert.deepEqual(back.body, Buffer.alloc(300_000, 7))
  assert.equal(seen.length, 2)
  assert.equal(seen[0]!.certificates.length, 2)
  assert.equal(seen[0]!.protocol, 'ziti-ctrl')
  void certificates
  void replyTo
})
