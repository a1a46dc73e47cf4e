/**
 * When changes have reached all routers. All of them get the same bytes, so each change set is read once, and counted by
 * its beginning, which holds its index.
 */
import { changeSet } from '@weft/wire/messages'

const PATIENCE = 180_000
/** Of a change set, which begins with its index. */
const BEGINNING = 12

interface Arriving {
  readonly ids: readonly string[]
  count: number
}

export class Arrivals {
  readonly #routers: number
  readonly #sets = new Map<string, Arriving>()
  readonly #arrived = new Map<string, number>()
  readonly #waiting = new Map<string, (at: number) => void>()

  constructor(routers: number) {
    this.#routers = routers
  }

  /** One router has a change set. */
  take(body: Buffer): void {
    const now = performance.now()
    const key = body.toString('latin1', 0, BEGINNING)
    let arriving = this.#sets.get(key)
    if (arriving === undefined) {
      arriving = { ids: entitiesOf(body), count: 0 }
      this.#sets.set(key, arriving)
    }
    if (++arriving.count < this.#routers) return
    this.#sets.delete(key)
    for (const id of arriving.ids) {
      this.#arrived.set(id, now)
      this.#waiting.get(id)?.(now)
      this.#waiting.delete(id)
    }
  }

  /** Forgets that an entity was ever told of: it is about to change again. */
  forget(id: string): void {
    this.#arrived.delete(id)
  }

  /** When the last router was told of the entity, as `performance.now` counts. */
  of(id: string): Promise<number> {
    const arrived = this.#arrived.get(id)
    if (arrived !== undefined) return Promise.resolve(arrived)
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    this.#waiting.set(id, resolve)
    const timer = setTimeout(() => reject(new Error(`${id} does not reach all routers`)), PATIENCE)
    return promise.finally(() => clearTimeout(timer))
  }
}

/** Which identities, services and policies it speaks of. */
function entitiesOf(body: Buffer): readonly string[] {
  return changeSet
    .decode(body)
    .changes.flatMap(({ model }) => (model !== undefined && 'id' in model.value ? [model.value.id] : []))
}
