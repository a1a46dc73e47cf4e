/**
 * What clients were told about entities, held against what is there after a crash.
 *
 * Each entity has one owner who does one thing at a time, so at any instant at most one change of it is unanswered. It
 * must then be as the last answer said, or as the unanswered change wanted it: nothing in between and nothing older.
 */
import assert from 'node:assert/strict'
import type { Json } from './api-client.ts'

/** The version that an entity carries in its tags; 0 while there is none. */
type Version = number

export interface Entity {
  readonly collection: string
  readonly name: string
  id: string | undefined
  told: Version
  /** What an unanswered request would make of it. */
  asked: Version | undefined
}

export class ToldEntities {
  readonly #entities = new Map<string, Entity>()
  #answers = 0
  #unanswered = 0

  /** Requests that were answered, and those that a crash left open. */
  get counts(): { readonly answers: number; readonly unanswered: number } {
    return { answers: this.#answers, unanswered: this.#unanswered }
  }

  add(collection: string, name: string): Entity {
    const entity: Entity = { collection, name, id: undefined, told: 0, asked: undefined }
    this.#entities.set(key(collection, name), entity)
    return entity
  }

  /** Records a request that will make the entity be of a version, and its answer, unless it throws. */
  async change<T>(entity: Entity, wanted: Version, ask: () => Promise<T>): Promise<T> {
    entity.asked = wanted
    const answer = await ask()
    entity.told = wanted
    entity.asked = undefined
    this.#answers++
    return answer
  }

  /** Checks everything found in a collection, and takes it as the truth from here on. */
  settle(collection: string, found: readonly Json[]): void {
    const byName = new Map(found.map((entity) => [String(entity['name']), entity]))
    assert.equal(byName.size, found.length, `two of the ${collection} have the same name`)
    for (const entity of this.#entities.values()) {
      if (entity.collection !== collection) continue
      const { name, told, asked } = entity
      if (asked !== undefined) this.#unanswered++
      const there = byName.get(name)
      const version = there === undefined ? 0 : Number((there['tags'] as Json)['version'])
      const allowed = asked === undefined ? [told] : [told, asked]
      assert.ok(
        allowed.includes(version),
        `${collection} ${name} is of version ${version}, wanted ${allowed.join(' or ')}`,
      )
      if (there === undefined) this.#entities.delete(key(collection, name))
      else Object.assign(entity, { id: String(there['id']), told: version, asked: undefined })
    }
  }

  ofCollection(collection: string): Entity[] {
    return [...this.#entities.values()].filter((entity) => entity.collection === collection)
  }
}

function key(collection: string, name: string): string {
  return `${collection} ${name}`
}
