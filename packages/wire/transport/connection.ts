/**
 * One byte stream to a peer, as the channel sees it: what carries it (TLS, TCP, a websocket, memory in a test) and who
 * was proved to be at the other end. No socket is known above this line.
 */

/** Gets what happens on a connection. `onClose` comes once, last, with the error if there was one. */
export interface ConnectionListener {
  onData(chunk: Buffer): void
  onDrain(): void
  onClose(error: Error | undefined): void
}

export interface Connection {
  /** `tcp:127.0.0.1:6262`, the form in which routers report the ends of their links. */
  readonly localAddress: string
  readonly remoteAddress: string
  /** The certificates of the peer as DER, in the order of the handshake. The first is the only one that says who it is. */
  readonly certificates: readonly Buffer[]
  /** Lower-case hex SHA-1 of the first certificate; undefined when the peer showed none. */
  readonly fingerprint: string | undefined
  /** The protocol agreed by ALPN, empty when none was. */
  readonly protocol: string
  /** True where each write arrives as one message and so has to be exactly one frame. */
  readonly keepsBoundaries: boolean
  readonly isClosed: boolean
  /** Replaces the listener. A connection starts paused. */
  attach(listener: ConnectionListener): void
  /** Takes over the bytes; false means that the listener should wait for `onDrain`. */
  write(bytes: Buffer): boolean
  /** From now on hands so many bytes at most to what carries it: slower for much, and kept small in memory for long. */
  writeInPieces(bytes: number): void
  pause(): void
  resume(): void
  /** Lets written bytes go out, for a second at most. */
  close(): void
  destroy(error?: Error): void
}
