/**
 * Looks at the heap of a program from outside, through Node's inspector: what is still there after a collection is what
 * the program holds, which resident memory alone does not say.
 */
import { once } from 'node:events'
import type { Child } from './child-process.ts'
import { until } from './patience.ts'

/** Start the program with these. */
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

  static async attach({ child }: { readonly child: Child }): Promise<HeapProbe> {
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

  /** Sockets, timers and whatever else keeps the program running. */
  async activeResources(): Promise<number> {
    const expression = 'process.getActiveResourcesInfo().length'
    const { result } = await this.#call('Runtime.evaluate', { expression, returnByValue: true })
    return (result as unknown as { readonly value: number }).value
  }

  async #call(method: string, params: object = {}): Promise<Record<string, number>> {
    const id = ++this.#last
    const { promise, resolve } = Promise.withResolvers<Record<string, number>>()
    this.#waiting.set(id, resolve)
    this.#socket.send(JSON.stringify({ id, method, params }))
    const result = await promise
    this.#waiting.delete(id)
    return result
  }

  [Symbol.dispose](): void {
    this.#socket.close()
  }
}
