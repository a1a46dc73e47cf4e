import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { Channel } from '../channel/channel.ts'
import { singlePlan } from '../channel/channel-plan.ts'
import { Headers } from '../frame/headers.ts'
import { decodeFrame, encodeFrame } from '../frame/message.ts'
import { unannounced } from '../hello/unannounced.ts'
import { certificates, clientMaterial, serverMaterial } from '../testing/certificates.ts'
import type { Connection } from './connection.ts'
import { dial } from './dial.ts'
import { listenOn } from './listen-on.ts'
import { TlsPort } from './tls-port.ts'
import { WebSocketConnection } from './web-socket-connection.ts'
import { WebSocketListener } from './web-socket-listener.ts'

const echo = 7_000

function channelOver(connection: Connection): Channel {
  const channel = new Channel(unannounced(connection, 'peer'), { name: 'over a websocket', plan: singlePlan })
  channel.handle(echo, (message) => channel.reply(message, { contentType: echo, body: message.body }))
  channel.start()
  return channel
}

test('a channel inside a websocket shares its port with others, and knows its peer', async () => {
  const accepted: Connection[] = []
  await using listener = new WebSocketListener({
    tls: serverMaterial,
    accept(connection) {
      accepted.push(connection)
      channelOver(connection)
    },
  })
  await using port = await TlsPort.open({ host: '127.0.0.1', port: 0, tls: serverMaterial })
  port.register(['http/1.1'], listener.handler)
  port.registerChannels(['ziti-edge'], () => assert.fail('not this way'))
  const connection = await dial(`wss:localhost:${port.address.port}`, { tls: clientMaterial })
  await using channel = channelOver(connection)
  const body = Buffer.alloc(200_000, 5)
  const reply = await channel.request({ contentType: echo, body })
  assert.ok(reply.body.equals(body))
  assert.equal(accepted[0]!.certificates.length, 2)
})

test('without a certificate inside, and without an upgrade, nobody gets in', async () => {
  await using listener = new WebSocketListener({
    tls: serverMaterial,
    accept: () => assert.fail('there is no certificate'),
    handshakeTimeout: 500,
  })
  const { port } = await listenOn(listener.server, '127.0.0.1', 0)
  const stranger = await dial(`ws:localhost:${port}`, { tls: { caPem: certificates.caPem } }).catch(() => undefined)
  if (stranger !== undefined) {
    const { promise, resolve } = Promise.withResolvers<void>()
    stranger.attach({ onData() {}, onDrain() {}, onClose: () => resolve() })
    stranger.resume()
    await promise
  }
  const response = await fetch(`http://127.0.0.1:${port}/ws`)
  assert.equal(response.status, 404)
  const elsewhere = new WebSocket(`ws://127.0.0.1:${port}/other`)
  const [error] = await once(elsewhere, 'error')
  assert.match(error.message, /404/)
  const silent = new WebSocket(`ws://127.0.0.1:${port}/ws`)
  await once(silent, 'open')
  await once(silent, 'close')
})

test('a channel straight over a websocket has one frame in each message', async () => {
  const web = createServer()
  const sockets = new WebSocketServer({ server: web })
  const ends = { localAddress: 'tcp:a:1', remoteAddress: 'tcp:b:2' }
  sockets.on('connection', (webSocket) => void channelOver(new WebSocketConnection(webSocket, ends)))
  await listenOn(web, '127.0.0.1', 0)
  const client = new WebSocket(`ws://127.0.0.1:${(web.address() as AddressInfo).port}`)
  await once(client, 'open')
  const messages: Buffer[] = []
  client.on('message', (data) => void messages.push(data as Buffer))
  for (let sequence = 1; sequence <= 20; sequence++) {
    client.send(encodeFrame(echo, new Headers(), Buffer.alloc(sequence * 500), sequence))
  }
  while (messages.length < 20) await once(client, 'message')
  for (const [index, bytes] of messages.entries()) {
    const { headers, body } = decodeFrame(bytes)
    assert.equal(headers.int32(1), index + 1)
    assert.equal(body.length, (index + 1) * 500)
  }
  client.send('text')
  await once(client, 'close')
  sockets.close()
  web.close()
})
