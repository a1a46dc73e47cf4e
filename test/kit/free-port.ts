/** A TCP port that nobody listens on. Somebody may take it before it is used; tests on loopback have few rivals. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

export async function freePort(host = '127.0.0.1'): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}
