/**
 * Looks at the heap of a controller from outside, through Node's inspector: what is still there after a collection is
 * what the program holds, which resident memory alone does not say.
 */
import { once } from 'node:events'
import type { ControllerProcess } from './controller-process.ts'
import { until } from './patience.ts'

/** Start the controller with these. */
export const inspectable: readonly string[] = ['--inspect=127.0.0.1:0']

export class HeapProbe implements Disposable {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: Record<string, number>) => void>()
  #last = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => {
      const { id, result } = JSON.parse(String(data)) as { id?: number; result: Record<string, number> }
      if (id !== undefined) this.#waiting.get(id)?.(result)
    })
  }

  static async attach({ child }: ControllerProcess): Promise<HeapProbe> {
    const url = await until('the inspector listens', () => /ws:\/\/\S+/.exec(child.stderr)?.[0])
    const socket = new WebSocket(url)
    await once(socket, 'open')
    return new HeapProbe(socket)
  }

  /** Bytes in use once everything that can go has gone. */
  async heldBytes(): Promise<number> {
    await this.#call('HeapProfiler.enable')
    await this.#call('HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize = 0, embedderHeapUsedSize = 0 } = await this.#call('Runtime.getHeapUsage')
    return usedSize! + backingStorageSize + embedderHeapUsedSize
  }

  async #call(method: string): Promise<Record<string, number>> {
    const id = ++this.#last
    const { promise, resolve } = Promise.withResolvers<Record<string, number>>()
    this.#waiting.set(id, resolve)
    this.#socket.send(JSON.stringify({ id, method }))
    const result = await promise
    this.#waiting.delete(id)
    return result
  }

  [Symbol.dispose](): void {
    this.#socket.close()
  }
}
