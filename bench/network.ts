/**
 * The network that is measured, the same in every controller: for a size of N there are N identities, a tenth as many
 * services (at least 100) and a hundredth as many service policies (at least 100).
 *
 * Every identity belongs to a team of 100 and to one of ten sites, every service to an application of ten services and a
 * family of 100. Each policy lets one team dial one application.
 */
import type { Contender } from './contender.ts'
import { drive } from './load/drive.ts'

export type Kind = 'identities' | 'services' | 'service-policies'

export const kinds: readonly Kind[] = ['identities', 'services', 'service-policies']

export function countOf(kind: Kind, size: number): number {
  if (kind === 'identities') return size
  return Math.max(100, Math.ceil(size / (kind === 'services' ? 10 : 100)))
}

/** The body that creates the nth entity of a kind. */
export function seededEntity(kind: Kind, nth: number): string {
  const name = `${kind}-${paddedNumber(nth)}`
  if (kind === 'identities') return identity(name, [teamOf(nth), `site-${nth % 10}`])
  if (kind === 'services') return service(name, [`application-${Math.floor(nth / 10)}`, familyOf(nth)])
  return policy(name, nth)
}

/** The body that creates an entity beside those: of a kind that no policy selects, or a policy over a team. */
export function newcomer(kind: Kind, name: string, nth: number): string {
  if (kind === 'identities') return identity(name, ['newcomers', `newcomers-${nth % 10}`])
  if (kind === 'services') return service(name, ['new-services', `new-services-${nth % 10}`])
  return policy(name, nth % 100)
}

function identity(name: string, roleAttributes: readonly string[]): string {
  return JSON.stringify({ name, type: 'Default', isAdmin: false, roleAttributes })
}

function service(name: string, roleAttributes: readonly string[]): string {
  return JSON.stringify({ name, encryptionRequired: true, roleAttributes })
}

function policy(name: string, nth: number): string {
  // The first hundred share the teams and applications of the smallest network, the others have one each.
  const [team, application] = nth < 100 ? [nth % 10, Math.floor(nth / 10)] : [nth, nth]
  const identityRoles = [`#team-${team}`]
  const serviceRoles = [`#application-${application}`]
  return JSON.stringify({ name, type: 'Dial', semantic: 'AnyOf', identityRoles, serviceRoles })
}

export function teamOf(identity: number): string {
  return `team-${Math.floor(identity / 100)}`
}

export function familyOf(service: number): string {
  return `family-${Math.floor(service / 100)}`
}

/** Names have one length, so that they sort as their numbers do. */
export function paddedNumber(nth: number): string {
  return String(nth).padStart(6, '0')
}

/** The ids of the seeded entities of each kind, in no particular order. */
export type SeededIds = Readonly<Record<Kind, string[]>>

export const nothingSeeded = (): SeededIds => ({ identities: [], services: [], 'service-policies': [] })

/** Grows the network of a controller to a size; `ids` tells what is there already. */
export async function seed(contender: Contender, size: number, ids: SeededIds, connections: number): Promise<void> {
  for (const kind of kinds) {
    const known = ids[kind]
    const wanted = countOf(kind, size)
    let nth = known.length
    const source = {
      next: () => {
        if (nth >= wanted) return undefined
        return contender.request('POST', `/${kind}`, seededEntity(kind, nth++))
      },
      answered: (body: string) => known.push(createdId(body)),
    }
    if (nth < wanted) await drive(contender.endpoint, source, { connections }, (run) => run())
  }
}

/** The id in the answer to a create. */
export function createdId(body: string): string {
  const found = /"id":"([^"]+)"/.exec(body)
  if (found === null) throw new Error(`an answer without an id: ${body.slice(0, 200)}`)
  return found[1]!
}
