/**
 * Request ids: ten characters that tie an answer to its log lines. Random, so that they say nothing about load, and drawn
 * from a pool, because the system's generator costs a call each time.
 */
import { randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-'
const LENGTH = 10
const POOLED_IDS = 256

/** Returns a generator of request ids. `fill` overwrites a buffer with random bytes. */
export function createRequestIds(fill: (buffer: Buffer) => void = randomFillSync): () => string {
  const pool = Buffer.allocUnsafe(LENGTH * POOLED_IDS)
  let at = pool.length
  return () => {
    if (at === pool.length) {
      fill(pool)
      at = 0
    }
    let id = ''
    for (const end = at + LENGTH; at < end; at++) id += ALPHABET[(pool[at] as number) & 63]
    return id
  }
}
