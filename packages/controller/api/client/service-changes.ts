/**
 * When something changed that concerns an identity's services: a service it may use, its configs, the policies that allow
 * it, or whether its posture passes.
 *
 * Nothing is written down when things change. A digest of what the identity sees is compared with that of the last time it
 * asked, and made anew only if something changed at all that could show in it. The answer is stable text while the digest
 * stays, and moves with it.
 */
import { createHash, type Hash } from 'node:crypto'
import { type AccessPolicy, policiesSelecting, policyLookup, related } from '@weft/model'
import { type Clock, timestamp } from '../../clock.ts'
import { accessView } from '../../policies/access-view.ts'
import type { PostureCheck } from '../../resources/posture-checks.ts'
import { checksOf } from '../../resources/posture-queries.ts'
import type { PostureReports } from '../../resources/posture-reports.ts'
import type { Service } from '../../resources/services.ts'
import type { View } from '../../state/view.ts'
import type { Commit, Writer } from '../../state/writer.ts'

export interface ServiceChangesDeps {
  readonly view: View
  readonly writer: Pick<Writer, 'follow'>
  readonly clock: Pick<Clock, 'now'>
  readonly posture: Pick<PostureReports, 'standing'> & { revisionOf(identityId: string): number }
}

/** Who asks: an identity, by one of its API sessions. */
export interface Asking {
  readonly identityId: string
  readonly sessionId: string | undefined
  /** When the API session began. */
  readonly since: string
}

/** Tables whose every change may show in what somebody sees. */
const tables: ReadonlySet<string> = new Set(['services', 'configs', 'configTypes', 'servicePolicies', 'postureChecks'])

/** Of one identity; the oldest makes room for a new one. */
const MOST_SESSIONS = 64

/** What an identity sees, and what it sees by one of its sessions. */
interface Sight {
  readonly digest: string
  readonly factors: string
  readonly isTimed: boolean
}

/** Identities remembered; past that, whoever asked longest ago is told once that something may have changed. */
const MOST_REMEMBERED = 200_000

interface Remembered {
  digest: string
  /** When the digest was seen to have moved; undefined: not since it is remembered. */
  changedAt: string | undefined
  /** Nobody knows what changed before. */
  readonly knownSince: string
  /** What the digest was made of. */
  basis: Basis
  /** How second factors stood when each session asked last: the rest is the same for all sessions. */
  readonly factors: Map<string, string>
}

interface Basis {
  readonly revision: number
  readonly postureRevision: number
  readonly roleAttributes: readonly string[] | undefined
  readonly serviceConfigs: unknown
  /** A second factor runs out without anybody changing anything. */
  readonly isTimed: boolean
}

export class ServiceChanges {
  readonly #deps: ServiceChangesDeps
  readonly #remembered = new Map<string, Remembered>()
  readonly #most: number
  #revision = 0
  #knownSince: string

  constructor(deps: ServiceChangesDeps, { mostRemembered = MOST_REMEMBERED } = {}) {
    this.#deps = deps
    this.#most = mostRemembered
    this.#knownSince = timestamp(deps.clock.now())
    deps.writer.follow((commits) => this.#follow(commits))
  }

  lastChangeAt({ identityId, sessionId, since }: Asking): string {
    const known = this.#remembered.get(identityId)
    const remembered = known ?? this.#remember(identityId, sessionId)
    if (known !== undefined && this.#mayHaveMoved(identityId, known.basis)) this.#look(identityId, sessionId, known)
    this.#remembered.delete(identityId)
    this.#remembered.set(identityId, remembered)
    return remembered.changedAt ?? (since > remembered.knownSince ? since : remembered.knownSince)
  }

  #remember(identityId: string, sessionId: string | undefined): Remembered {
    if (this.#remembered.size >= this.#most) {
      this.#remembered.delete(this.#remembered.keys().next().value!)
      this.#knownSince = timestamp(this.#deps.clock.now())
    }
    const { digest, factors, isTimed } = this.#see(identityId, sessionId)
    const basis = this.#basis(identityId, isTimed)
    const bySession = new Map([[sessionId ?? '', factors]])
    return { digest, changedAt: undefined, knownSince: this.#knownSince, basis, factors: bySession }
  }

  #look(identityId: string, sessionId: string | undefined, known: Remembered): void {
    const { digest, factors, isTimed } = this.#see(identityId, sessionId)
    known.basis = this.#basis(identityId, isTimed)
    const isSame = digest === known.digest && (known.factors.get(sessionId ?? '') ?? factors) === factors
    keepNewest(known.factors, sessionId ?? '', factors)
    if (isSame) return
    known.digest = digest
    const now = timestamp(this.#deps.clock.now())
    const before = known.changedAt ?? known.knownSince
    known.changedAt = now > before ? now : timestamp(Date.parse(before) + 1)
  }

  #mayHaveMoved(identityId: string, { isTimed, ...basis }: Basis): boolean {
    if (isTimed) return true
    const now = this.#basis(identityId, isTimed)
    return (
      now.revision !== basis.revision ||
      now.postureRevision !== basis.postureRevision ||
      now.roleAttributes !== basis.roleAttributes ||
      now.serviceConfigs !== basis.serviceConfigs
    )
  }

  #basis(identityId: string, isTimed: boolean): Basis {
    const { view, posture } = this.#deps
    const identity = view.get('identities', identityId)
    return {
      revision: this.#revision,
      postureRevision: posture.revisionOf(identityId),
      roleAttributes: identity?.roleAttributes,
      serviceConfigs: identity?.serviceConfigs,
      isTimed,
    }
  }

  #see(identityId: string, sessionId: string | undefined): Sight {
    const { view, posture } = this.#deps
    const access = accessView(view)
    const hash = createHash('sha256')
    const policies = [...policiesSelecting(access, 'servicePolicies', 'identities', identityId)]
    policies.sort((a, b) => (a.id < b.id ? -1 : 1))
    const checks = new Map<AccessPolicy, readonly PostureCheck[]>()
    if (view.size('postureChecks') > 0) for (const policy of policies) checks.set(policy, checksOf(view, policy))
    const factors: string[] = []
    for (const check of new Set([...checks.values()].flat())) {
      const { isPassing } = posture.standing(check, identityId, sessionId)
      const isFactor = check.typeId === 'MFA'
      if (isFactor) factors.push(`${check.id} ${isPassing}`)
      tell(hash, check.id, check.updatedAt, isFactor ? '' : String(isPassing))
    }
    const policiesOf = policyLookup(policies, 'services')
    const overrides = view.get('identities', identityId)?.serviceConfigs ?? {}
    const services = [...related(access, 'servicePolicies', 'identities', identityId, 'services')].sort()
    for (const id of services) {
      const service = view.get('services', id)
      if (service === undefined) continue
      tellService(hash, service, overrides[id] ?? {}, view)
      for (const policy of policiesOf(id, service.roleAttributes)) {
        tell(hash, policy.id, String(policy.type), ...(checks.get(policy) ?? []).map((check) => check.id))
      }
    }
    return { digest: hash.digest('base64'), factors: factors.join('\n'), isTimed: factors.length > 0 }
  }

  #follow(commits: readonly Commit[]): void {
    for (const { changes } of commits) {
      for (const { table, id, after } of changes) {
        if (tables.has(table)) this.#revision++
        else if (table === 'identities' && after === undefined) this.#remembered.delete(id)
      }
    }
  }
}

function tellService(hash: Hash, service: Service, overrides: Readonly<Record<string, string>>, view: View): void {
  tell(hash, service.id, service.updatedAt)
  for (const id of [...service.configs, ...Object.values(overrides)]) {
    const config = view.get('configs', id)
    if (config !== undefined) tell(hash, id, config.updatedAt, view.get('configTypes', config.configTypeId)?.name ?? '')
  }
}

function keepNewest(map: Map<string, string>, key: string, value: string): void {
  map.delete(key)
  if (map.size >= MOST_SESSIONS) map.delete(map.keys().next().value!)
  map.set(key, value)
}

/** Each list of texts in a form in which it cannot be mistaken for another. */
function tell(hash: Hash, ...texts: readonly string[]): void {
  hash.update(`${JSON.stringify(texts)}\n`)
}
