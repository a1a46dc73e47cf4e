/** Two connections in memory that are each other's peer, with the back-pressure of real streams. */
import { type Duplex, duplexPair } from 'node:stream'
import { StreamConnection } from '../transport/stream-connection.ts'

export interface MemoryPair {
  readonly near: StreamConnection
  readonly far: StreamConnection
  /** The stream below `far`, for tests that misbehave at this end. */
  readonly farStream: Duplex
}

/** Certificates are whatever bytes the test says: nothing in this package judges them. */
export function memoryPair(certificate = 'leaf'): MemoryPair {
  const [one, other] = duplexPair()
  const certificates = [Buffer.from(certificate)]
  return {
    near: new StreamConnection(one, { localAddress: 'tcp:near:1', remoteAddress: 'tcp:far:2', certificates }),
    far: new StreamConnection(other, { localAddress: 'tcp:far:2', remoteAddress: 'tcp:near:1', certificates }),
    farStream: other,
  }
}
