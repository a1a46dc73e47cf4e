/** The bounds of a web server; times in milliseconds. */
import type { ServerOptions } from 'node:http'
import type { HandshakeWindowOptions } from '@weft/wire'

export interface WebLimits {
  /** From the first byte of a request, or from the connection, to the last byte of its body. */
  readonly readTimeout: number
  /** For a client that takes nothing of an answer. */
  readonly writeTimeout: number
  /** In which a handler may say nothing; the APIs themselves give up well before. */
  readonly processingTimeout: number
  /** Between two requests of one connection. */
  readonly idleTimeout: number
  readonly handshakeTimeout: number
  /** Lets in fewer while clients are not served in time; without it as many as there may be connections. */
  readonly handshakeWindow?: HandshakeWindowOptions
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** Per bind point. */
  readonly maxConnections: number
}

export const defaultWebLimits: WebLimits = {
  readTimeout: 5_000,
  writeTimeout: 10_000,
  processingTimeout: 15_000,
  idleTimeout: 5_000,
  handshakeTimeout: 5_000,
  maxHeaderBytes: 16 * 1024,
  maxHeaders: 100,
  maxConnections: 10_000,
}

/** The limits as the platform's HTTP server takes them. */
export function httpOptions(limits: WebLimits): ServerOptions {
  return {
    maxHeaderSize: limits.maxHeaderBytes,
    headersTimeout: limits.readTimeout,
    requestTimeout: limits.readTimeout,
    keepAliveTimeout: limits.idleTimeout,
    connectionsCheckingInterval: Math.min(1_000, Math.max(50, limits.readTimeout / 4)),
    noDelay: true,
  }
}

/** Milliseconds without any byte in either direction after which a connection is given up. */
export function silenceTimeout(limits: WebLimits): number {
  return limits.processingTimeout + limits.writeTimeout
}
