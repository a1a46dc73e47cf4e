/** Waits for something that happens soon. */
import { setTimeout as sleep } from 'node:timers/promises'

const patience = 10_000

export async function eventually(ask: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + patience
  while (!ask()) {
    if (performance.now() > deadline) throw new Error(`waited in vain: ${what}`)
    await sleep(5)
  }
}
