/**
 * What is asked of a controller, as sources of requests. All are made from the same numbers for every controller, so
 * that each is asked the same.
 */
import type { Contender } from './contender.ts'
import type { RequestSource } from './load/drive.ts'
import { countOf, createdId, familyOf, type Kind, newcomer, paddedNumber, type SeededIds, teamOf } from './network.ts'

export interface Situation {
  readonly contender: Contender
  readonly size: number
  readonly ids: SeededIds
}

export interface Workload {
  readonly name: string
  readonly kind: Kind
  /** Requests without end; each round is given a source of its own. */
  readonly source: (situation: Situation, round: number) => RequestSource
}

/** How many different requests a round repeats: enough that no answer can be kept for the next time. */
const VARIETY = 2_000

function reading(name: string, kind: Kind, path: (situation: Situation, random: () => number) => string): Workload {
  return {
    name,
    kind,
    source: (situation, round) => {
      const random = randomNumbers(round)
      const requests = Array.from({ length: VARIETY }, () =>
        Buffer.from(situation.contender.request('GET', path(situation, random))),
      )
      let at = 0
      return { next: () => requests[at++ % VARIETY]! }
    },
  }
}

function get(kind: Kind): Workload {
  return reading('get by id', kind, ({ ids }, random) => `/${kind}/${pick(ids[kind], random)}`)
}

function listByRole(kind: Kind): Workload {
  return reading('list by role', kind, ({ size }, random) => {
    const nth = Math.floor(random() * countOf(kind, size))
    const [symbol, role] =
      kind === 'identities'
        ? ['roleAttributes', teamOf(nth)]
        : kind === 'services'
          ? ['roleAttributes', familyOf(nth)]
          : ['identityRoles', `#team-${nth < 100 ? nth % 10 : nth}`]
    return `/${kind}?limit=100&filter=${encodeURIComponent(`anyOf(${symbol}) = "${role}"`)}`
  })
}

/** A part of a name that a hundredth to a thousandth of the entities have, somewhere in the middle of it. */
function listByPart(kind: Kind): Workload {
  return reading('list name contains', kind, ({ size }, random) => {
    const number = paddedNumber(Math.floor(random() * countOf(kind, size)))
    return `/${kind}?limit=100&filter=${encodeURIComponent(`name contains "${number.slice(1, 4)}"`)}`
  })
}

function listSorted(kind: Kind): Workload {
  return reading('list sorted by name', kind, ({ size }, random) => {
    const offset = Math.floor(random() * Math.max(1, countOf(kind, size) - 100))
    return `/${kind}?limit=100&sort=name&offset=${offset}`
  })
}

function update(kind: Kind): Workload {
  return {
    name: 'update',
    kind,
    source: ({ contender, ids }, round) => {
      const random = randomNumbers(round)
      let revision = 0
      return {
        next: () => {
          const body = JSON.stringify({ tags: { revision: ++revision, round } })
          return contender.request('PATCH', `/${kind}/${pick(ids[kind], random)}`, body)
        },
      }
    },
  }
}

/** Reads, lists and updates: what leaves the network as large as it was. */
export const steadyWorkloads: readonly Workload[] = (['identities', 'services', 'service-policies'] as const).flatMap(
  (kind) => [get(kind), listByRole(kind), listByPart(kind), listSorted(kind), update(kind)],
)

/** So many creates; the ids of what they made go to `made`. */
export function creates(kind: Kind, contender: Contender, label: string, count: number, made: string[]): RequestSource {
  let nth = 0
  return {
    next: () => {
      if (nth >= count) return undefined
      const body = newcomer(kind, `new-${kind}-${label}-${nth}`, nth)
      nth++
      return contender.request('POST', `/${kind}`, body)
    },
    answered: (body) => {
      made.push(createdId(body))
    },
  }
}

export function deletes(kind: Kind, contender: Contender, ids: readonly string[]): RequestSource {
  let at = 0
  return { next: () => (at < ids.length ? contender.request('DELETE', `/${kind}/${ids[at++]}`) : undefined) }
}

function pick(ids: readonly string[], random: () => number): string {
  return ids[Math.floor(random() * ids.length)]!
}

/** Numbers from 0 to 1, the same for the same beginning (the generator known as mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed * 0x9e3779b1
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
