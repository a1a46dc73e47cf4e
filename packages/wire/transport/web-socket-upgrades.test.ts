import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { WebSocket } from 'ws'
import { Headers } from '../frame/headers.ts'
import { encodeFrame } from '../frame/message.ts'
import type { WebSocketConnection } from './web-socket-connection.ts'
import { WebSocketUpgrades, type WebSocketUpgradesOptions } from './web-socket-upgrades.ts'

async function serve(options: Partial<WebSocketUpgradesOptions> = {}) {
  const upgrades = new WebSocketUpgrades({ maxMessage: 1_000, maxConnections: 2, ...options })
  const accepted: WebSocketConnection[] = []
  const server = createServer()
  server.on('upgrade', (request, socket, head) => {
    upgrades.accept(request, socket, head, (connection) => accepted.push(connection))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    upgrades,
    accepted,
    async open(settings: object = {}): Promise<WebSocket> {
      const client = new WebSocket(`ws://127.0.0.1:${port}/`, settings)
      await once(client, 'open')
      return client
    },
    async [Symbol.asyncDispose]() {
      upgrades[Symbol.dispose]()
      server.closeAllConnections()
      server.close()
    },
  }
}

const frame = encodeFrame(7, new Headers(), Buffer.from('one'), 1)

test('each message is handed over whole, both ways', async () => {
  await using server = await serve()
  const client = await server.open()
  const [connection] = server.accepted
  const received = Promise.withResolvers<Buffer>()
  connection!.attach({ onData: (data) => received.resolve(data), onDrain() {}, onClose() {} })
  connection!.resume()
  client.send(frame)
  assert.deepEqual(await received.promise, frame)
  connection!.write(Buffer.from('two'))
  const [data, isBinary] = await once(client, 'message')
  assert.deepEqual([String(data), isBinary], ['two', true])
})

test('it tells when there are as many as it may have', async () => {
  await using server = await serve()
  await server.open()
  assert.equal(server.upgrades.isFull, false)
  const second = await server.open()
  assert.equal(server.upgrades.isFull, true)
  second.terminate()
  while (server.upgrades.isFull) await new Promise((resolve) => setTimeout(resolve, 5))
})

test('a message that is not one frame, whole, ends the connection', async () => {
  await using server = await serve()
  for (const bytes of [frame.subarray(0, 10), frame.subarray(0, -1), Buffer.concat([frame, frame]), Buffer.alloc(0)]) {
    const client = await server.open()
    server.accepted.at(-1)!.resume()
    client.send(bytes)
    await once(client, 'close')
    while (server.upgrades.isFull) await new Promise((resolve) => setTimeout(resolve, 5))
  }
})

test('a message that is too large ends the connection', async () => {
  await using server = await serve()
  const client = await server.open()
  server.accepted[0]!.resume()
  client.send(Buffer.alloc(1_001))
  const [code] = await once(client, 'close')
  assert.equal(code, 1009)
})

test('who answers no ping is cut off, who answers stays', async () => {
  await using server = await serve({ pingInterval: 20, silenceLimit: 300 })
  const silent = await server.open({ autoPong: false })
  const answering = await server.open()
  for (const connection of server.accepted) connection.resume()
  await once(silent, 'close')
  assert.equal(answering.readyState, WebSocket.OPEN)
})
