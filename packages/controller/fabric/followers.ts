/** Those who want to be told, in the order in which they asked. Telling is a plain call: it must be quick and not throw. */
export class Followers<Event> {
  readonly #told = new Set<(event: Event) => void>()

  /** Answers how to be left alone again. */
  add(follower: (event: Event) => void): () => void {
    this.#told.add(follower)
    return () => this.#told.delete(follower)
  }

  get size(): number {
    return this.#told.size
  }

  tell(event: Event): void {
    for (const follower of this.#told) follower(event)
  }
}
