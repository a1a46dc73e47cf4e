/**
 * Who may come as a controller. Everybody in a network has a certificate of its authorities, so that alone proves nothing:
 * the leaf must say that it is a controller's, in its SPIFFE id, which nobody gets by asking. A leaf without any such id is
 * a controller's only if its key is that of a controller which the router has dialled, and thus has found where the
 * configuration says it is.
 */
import { Certificate, type Identity, PkiError, publicKeyPrint, type SpiffeId, spiffeIdOf } from '@weft/pki'
import { type Connection, HelloRefusal, type ReceivedHello } from '@weft/wire'
import { trustedLeaf } from '../identity/trusted-leaf.ts'
import type { ControllerConnection } from './controller-connection.ts'

export interface ControllerTrustDeps {
  readonly identity: () => Identity
  readonly now: () => number
}

/** Controllers that are remembered; a network has a handful. */
const mostKeys = 64

export class ControllerTrust {
  readonly #deps: ControllerTrustDeps
  /** Prints of the keys of those that were dialled, by id. */
  readonly #keys = new Map<string, string>()

  constructor(deps: ControllerTrustDeps) {
    this.#deps = deps
  }

  /** A controller that the router has dialled. */
  remember({ controllerId, channel }: ControllerConnection): void {
    const [leaf] = channel.first.connection.certificates
    if (leaf === undefined) return
    if (this.#keys.size >= mostKeys && !this.#keys.has(controllerId)) this.#keys.clear()
    this.#keys.set(controllerId, publicKeyPrint(Certificate.fromDer(leaf).publicKey))
  }

  /** Throws `HelloRefusal` unless it comes from the controller that it says it comes from. */
  check({ connection, id }: Pick<ReceivedHello, 'connection' | 'id'>): void {
    const names = this.namesOf(connection)
    if (id === '' || !names.includes(id)) throw new HelloRefusal(`controller ${names[0]} says that it is ${shown(id)}`)
  }

  /** The names that the controller at the other end may go by; throws `HelloRefusal` when nobody of that kind is there. */
  namesOf(connection: Pick<Connection, 'certificates'>): readonly string[] {
    const leaf = trustedLeaf(connection, this.#deps.identity(), this.#deps.now())
    const named = spiffeId(leaf)
    if (named?.kind === 'controller') return [named.controllerId, leaf.commonName]
    if (named !== undefined) throw new HelloRefusal(`the certificate is of a kind ${named.kind}, not of a controller`)
    const print = publicKeyPrint(leaf.publicKey)
    const dialled = [...this.#keys].filter(([, key]) => key === print).map(([id]) => id)
    if (dialled.length > 0) return dialled
    throw new HelloRefusal('the certificate does not say that it is of a controller, and no such one was ever dialled')
  }
}

function shown(id: string): string {
  return JSON.stringify(id.slice(0, 64))
}

function spiffeId(leaf: Certificate): SpiffeId | undefined {
  try {
    return spiffeIdOf(leaf)
  } catch (error) {
    if (!(error instanceof PkiError)) throw error
    throw new HelloRefusal(`the certificate cannot be understood: ${error.message}`)
  }
}
