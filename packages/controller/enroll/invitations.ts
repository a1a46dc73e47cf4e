/**
 * The invitations this controller signs: to identities and routers, to holders of a CA's certificates, and to the network.
 *
 * They are signed with the key of the TLS certificate that clients meet at the issuer's address, because that is the key
 * they verify them with.
 */
import { randomUUID } from 'node:crypto'
import { type Identity, signCaToken, signEnrollmentToken, signNetworkToken, type TokenSigner } from '@weft/pki'
import { signerForAddress } from '../auth/tokens/signer-for-address.ts'
import type { InvitationSigner } from '../resources/enrollment-issuing.ts'

export interface InvitationOptions {
  readonly identity: Identity
  /** `edge.api.address`, host and port. */
  readonly apiAddress: string
  /** Control-channel addresses of all controllers. */
  readonly controllerAddresses: readonly string[]
  /** Milliseconds. */
  readonly identityDuration: number
  readonly routerDuration: number
}

export class Invitations implements InvitationSigner {
  readonly identityDuration: number
  readonly routerDuration: number
  readonly #options: InvitationOptions
  readonly #networkId = randomUUID()
  #signer: TokenSigner
  #networkToken: string

  constructor(options: InvitationOptions) {
    this.identityDuration = options.identityDuration
    this.routerDuration = options.routerDuration
    this.#options = options
    this.#signer = signerForAddress(options.identity, options.apiAddress)
    this.#networkToken = this.#signNetwork()
  }

  /** Signs with new certificates from now on; the network's own invitation is made anew. */
  renew(identity: Identity): void {
    this.#signer = signerForAddress(identity, this.#options.apiAddress)
    this.#networkToken = this.#signNetwork()
  }

  invite(invitation: Parameters<InvitationSigner['invite']>[0]): string {
    const { apiAddress: address, controllerAddresses } = this.#options
    return signEnrollmentToken(this.#signer, { ...invitation, address, controllerAddresses })
  }

  inviteToCa(caId: string): string {
    return signCaToken(this.#signer, { address: this.#options.apiAddress, caId })
  }

  networkToken(): string {
    return this.#networkToken
  }

  #signNetwork(): string {
    return signNetworkToken(this.#signer, { address: this.#options.apiAddress, id: this.#networkId })
  }
}
