/**
 * Whether the certificates of routers are of this network. A router comes with several connections, and all routers come
 * back together when the controller was away: what was found out about a leaf counts for a while, unless the network's
 * authorities are replaced.
 */
import { createHash } from 'node:crypto'
import { Certificate, verifyChain } from '@weft/pki'
import { HelloRefusal } from '@weft/wire'
import type { NetworkAuthorities } from '../auth/certificate-trust.ts'
import type { Clock } from '../clock.ts'

const LONGEST_MILLISECONDS = 5 * 60_000
/** Leaves that are remembered; with more, all are forgotten. */
const MOST_LEAVES = 10_000

export interface LeafTrustDeps {
  /** Asked each time: they change when certificates are replaced. */
  readonly network: () => NetworkAuthorities
  readonly clock: Pick<Clock, 'now'>
}

export class LeafTrust {
  readonly #deps: LeafTrustDeps
  /** Until when each is trusted without a further look, by a hash of the whole certificate. */
  readonly #trusted = new Map<string, number>()
  #network: NetworkAuthorities | undefined

  constructor(deps: LeafTrustDeps) {
    this.#deps = deps
  }

  /** Throws `HelloRefusal` unless the leaf chains to the network's authorities, by what was sent along where needed. */
  check(leaf: Buffer, sent: readonly Buffer[]): void {
    const network = this.#deps.network()
    const now = this.#deps.clock.now()
    if (network !== this.#network || this.#trusted.size >= MOST_LEAVES) this.#trusted.clear()
    this.#network = network
    const key = createHash('sha256').update(leaf).digest('base64')
    const until = this.#trusted.get(key)
    if (until !== undefined && now < until) return
    this.#trusted.delete(key)
    const { notAfter } = verified(leaf, sent, network, now)
    this.#trusted.set(key, Math.min(now + LONGEST_MILLISECONDS, notAfter))
  }
}

function verified(
  leaf: Buffer,
  sent: readonly Buffer[],
  { roots, intermediates }: NetworkAuthorities,
  at: number,
): Certificate {
  let chain: readonly [Certificate, ...Certificate[]]
  try {
    chain = [Certificate.fromDer(leaf), ...sent.map((der) => Certificate.fromDer(der))]
  } catch {
    throw new HelloRefusal('the client certificate cannot be read')
  }
  const [own, ...between] = chain
  const request = { leaf: own, roots, intermediates: [...intermediates, ...between], at }
  if (!verifyChain(request).isTrusted) throw new HelloRefusal('the client certificate is not of this network')
  return own
}
