/** A port on which nobody listens at the moment. */
import { createServer } from 'node:net'
import { listenOn } from '../transport/listen-on.ts'

export async function freePort(): Promise<number> {
  const server = createServer()
  const { port } = await listenOn(server, '127.0.0.1', 0)
  await new Promise((resolve) => server.close(resolve))
  return port
}
