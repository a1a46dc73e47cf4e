/**
 * A TLS server that answers whatever it reads with the same bytes, and does nothing else: what the load generator reaches
 * against it is the most it can measure. Runs as a process of its own, started by `ceiling.ts`.
 */
import tls from 'node:tls'

process.once('message', ({ cert, key, length }: { cert: string; key: string; length: number }) => {
  const answer = Buffer.from(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(length)}`)
  const server = tls.createServer({ cert, key }, (socket) => {
    socket.setNoDelay(true)
    socket.on('data', () => socket.write(answer))
    // The generator cuts its connections when it is done.
    socket.on('error', () => socket.destroy())
  })
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as { port: number }).port))
})
process.once('disconnect', () => process.exit())
