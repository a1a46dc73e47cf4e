/** A thread of the store: answers the calls of a `WorkerLink`, one after another, with the side it was started for. */
import { parentPort, workerData } from 'node:worker_threads'
import { StoreError } from '../store.ts'
import { ReadSide } from './read-side.ts'
import { RestoreSide } from './restore-side.ts'
import type { Call, Role } from './worker-link.ts'
import { WriteSide } from './write-side.ts'

const sides: Record<Role, () => object> = {
  write: () => new WriteSide(),
  read: () => new ReadSide(),
  restore: () => new RestoreSide(),
}

const side = sides[workerData as Role]() as Record<string, (argument: unknown) => unknown>

parentPort?.on('message', ({ id, method, argument }: Call) => {
  try {
    parentPort?.postMessage({ id, value: side[method]?.(argument) })
  } catch (error) {
    const code = error instanceof StoreError ? error.code : undefined
    const message = error instanceof Error ? error.message : String(error)
    parentPort?.postMessage({
      id,
      problem: { code, message, cause: error instanceof StoreError ? error.cause : error },
    })
  }
  if (method === 'close') parentPort?.close()
})
