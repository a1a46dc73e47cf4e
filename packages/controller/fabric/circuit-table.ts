/**
 * The circuits there are, by id and by everything that can end them. A circuit that is being made has its id reserved and
 * is not in here: whoever goes through circuits meets only those with a path.
 */
import type { Circuits } from '../resources/sessions.ts'
import type { Circuit, CircuitEvent } from './circuit.ts'
import { Followers } from './followers.ts'

type KeysOf = (circuit: Circuit) => readonly (string | undefined)[]

const keysOf = {
  client: ({ clientId }) => [clientId],
  identity: ({ identityId }) => [identityId],
  apiSession: ({ apiSessionId }) => [apiSessionId],
  session: ({ sessionId }) => [sessionId],
  token: ({ token }) => [token?.id],
  service: ({ serviceId }) => [serviceId],
  terminator: ({ terminator }) => [terminator.id],
  router: ({ path }) => path.nodes,
  link: ({ path }) => path.links,
} satisfies Readonly<Record<string, KeysOf>>

/** By what circuits can be found. */
export type CircuitKey = keyof typeof keysOf

const keys = Object.keys(keysOf) as CircuitKey[]

export class CircuitTable implements Circuits {
  readonly #circuits = new Map<string, Circuit>()
  readonly #reserved = new Set<string>()
  readonly #indexes = new Map(keys.map((key) => [key, new Map<string, Set<string>>()] as const))
  readonly #followers = new Followers<CircuitEvent>()

  get size(): number {
    return this.#circuits.size
  }

  get(circuitId: string): Circuit | undefined {
    return this.#circuits.get(circuitId)
  }

  all(): IteratorObject<Circuit> {
    return this.#circuits.values()
  }

  /** Those there are now, in the order in which they were made, apart from those that moved since. */
  find(key: CircuitKey, value: string): readonly Circuit[] {
    return [...(this.#indexes.get(key)!.get(value) ?? [])].map((id) => this.#circuits.get(id)!)
  }

  pathOf(clientId: string): readonly string[] {
    return this.find('client', clientId)[0]?.path.nodes ?? []
  }

  isReserved(circuitId: string): boolean {
    return this.#reserved.has(circuitId)
  }

  /** Keeps an id from being taken twice; answers whether it was free. */
  reserve(circuitId: string): boolean {
    if (this.#circuits.has(circuitId) || this.#reserved.has(circuitId)) return false
    this.#reserved.add(circuitId)
    return true
  }

  release(circuitId: string): void {
    this.#reserved.delete(circuitId)
  }

  add(circuit: Circuit): void {
    this.#reserved.delete(circuit.id)
    this.#circuits.set(circuit.id, circuit)
    this.#index(circuit)
  }

  /** Puts a circuit that moved in place of what it was; answers false if it has ended meanwhile. */
  replace(before: Circuit, after: Circuit): boolean {
    if (this.#circuits.get(before.id) !== before) return false
    this.#unindex(before)
    this.#circuits.set(after.id, after)
    this.#index(after)
    return true
  }

  /** Answers what was there. */
  remove(circuitId: string): Circuit | undefined {
    const circuit = this.#circuits.get(circuitId)
    if (circuit === undefined) return undefined
    this.#circuits.delete(circuitId)
    this.#unindex(circuit)
    return circuit
  }

  tell(event: CircuitEvent): void {
    this.#followers.tell(event)
  }

  follow(follower: (event: CircuitEvent) => void): () => void {
    return this.#followers.add(follower)
  }

  #index(circuit: Circuit): void {
    for (const [key, index] of this.#indexes) {
      for (const value of keysOf[key](circuit)) {
        if (value === undefined) continue
        const ids = index.get(value)
        if (ids === undefined) index.set(value, new Set([circuit.id]))
        else ids.add(circuit.id)
      }
    }
  }

  #unindex(circuit: Circuit): void {
    for (const [key, index] of this.#indexes) {
      for (const value of keysOf[key](circuit)) {
        const ids = value === undefined ? undefined : index.get(value)
        ids?.delete(circuit.id)
        if (ids?.size === 0) index.delete(value!)
      }
    }
  }
}
