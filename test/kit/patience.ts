/** Waiting for what another process does, with an end; and how much slower than a quiet machine this one may be. */
import { setTimeout as sleep } from 'node:timers/promises'

/** Bounds of time are for a quiet machine; this factor is what a busy one is allowed. */
export const slack = Number(process.env.WEFT_SLACK ?? 2)

/** Asks until the answer is neither undefined nor false. Throws when it takes too long. */
export async function until<T>(
  what: string,
  ask: () => T | undefined | false | Promise<T | undefined | false>,
  { within = 20_000, every = 50 }: { readonly within?: number; readonly every?: number } = {},
): Promise<T> {
  const deadline = performance.now() + within
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (performance.now() > deadline) throw new Error(`waited ${within / 1_000} s in vain: ${what}`)
    await sleep(every)
  }
}
