/**
 * The event loop's end of a store thread: method calls with ids, and one certain outcome for each. A thread that dies
 * takes every outstanding and every later call with it.
 */
import { Worker } from 'node:worker_threads'
import { StoreError } from '../store.ts'

export type Role = 'write' | 'read' | 'restore'

export interface Call {
  readonly id: number
  readonly method: string
  readonly argument: unknown
}

export type Reply =
  | { readonly id: number; readonly value: unknown; readonly problem?: undefined }
  | { readonly id: number; readonly problem: Problem }

/** An error on its way between threads. Without a code it is nothing the store expects. */
export interface Problem {
  readonly code: StoreError['code'] | undefined
  readonly message: string
  readonly cause: unknown
}

type Method<Side> = { [Name in keyof Side]: Side[Name] extends (argument: never) => unknown ? Name : never }[keyof Side]
type Argument<Side, Name extends keyof Side> = Side[Name] extends (...argument: infer Given) => unknown ? Given : never
type Result<Side, Name extends keyof Side> = Side[Name] extends (...argument: never) => infer Value ? Value : never

export class WorkerLink<Side extends { close(): void }> implements AsyncDisposable {
  readonly #worker: Worker
  readonly #exited: Promise<void>
  readonly #outstanding = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  #lastId = 0
  #end: StoreError | undefined
  #closing: Promise<void> | undefined

  private constructor(role: Role) {
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      workerData: role,
      name: `store ${role}`,
      // Node 24 calls its SQLite experimental in every thread that loads it.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    })
    this.#worker.on('message', (reply: Reply) => this.#take(reply))
    this.#worker.on('error', (error) => this.#fail('failed', error))
    this.#worker.on('messageerror', (error) => this.#fail('sent what cannot be read', error))
    this.#exited = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        this.#fail(`ended with code ${code}`)
        resolve()
      })
    })
  }

  /** Starts a thread for the side of this role. */
  static start<Side extends { close(): void }>(role: Role): WorkerLink<Side> {
    return new WorkerLink<Side>(role)
  }

  call<Name extends Method<Side> & string>(
    method: Name,
    ...argument: Argument<Side, Name>
  ): Promise<Result<Side, Name>> {
    if (this.#end) return Promise.reject(this.#end)
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    this.#outstanding.set(id, { resolve, reject })
    this.#worker.postMessage({ id, method, argument: argument[0] } satisfies Call)
    return promise as Promise<Result<Side, Name>>
  }

  /** Lets outstanding calls finish, closes the side and ends the thread. */
  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    try {
      if (!this.#end) await this.call('close' as Method<Side> & string, ...([] as unknown as never))
    } finally {
      await this.#exited
    }
  }

  #take({ id, ...reply }: Reply): void {
    const waiting = this.#outstanding.get(id)
    this.#outstanding.delete(id)
    if (reply.problem) waiting?.reject(errorFrom(reply.problem))
    else waiting?.resolve('value' in reply ? reply.value : undefined)
  }

  #fail(how: string, cause?: unknown): void {
    this.#end ??= this.#closing
      ? new StoreError('STORE_CLOSED', 'the store is closed')
      : new StoreError('STORE_FAILED', `a thread of the store ${how}`, { cause })
    for (const { reject } of this.#outstanding.values()) reject(this.#end)
    this.#outstanding.clear()
  }
}

function errorFrom({ code, message, cause }: Problem): Error {
  return code ? new StoreError(code, message, { cause }) : new Error(message, { cause })
}
