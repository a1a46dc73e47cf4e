/**
 * Extending the certificates of a router over HTTP, for a router whose control channel cannot do it.
 *
 * The new ones are in force the moment the controller has issued them and the former ones are refused: the caller
 * stores what comes back at once, and a lost answer means enrolling again.
 */
import type { KeyObject } from 'node:crypto'
import type { Certificate } from '../certificates.ts'
import type { DistinguishedName } from '../distinguished-name.ts'
import type { AlternativeNames } from '../extensions.ts'
import type { Identity } from '../identity-section.ts'
import { signCertificateRequest } from '../sign-certificate-request.ts'
import { isSpiffeUri } from '../spiffe.ts'
import { readIssuedChain } from './issued-certificates.ts'
import { KnownController } from './known-controller.ts'
import type { EnrollDeps } from './met-controller.ts'

/** The `csr` section of the router's configuration, and its key. */
export interface ExtendRouterOptions {
  readonly subject?: Omit<DistinguishedName, 'commonName'>
  /** Those of the present server certificate unless told otherwise. */
  readonly names?: Partial<AlternativeNames>
  /** A new key; it must be stored already, because there is no second chance. The present one is kept without it. */
  readonly key?: KeyObject
  readonly signal?: AbortSignal
}

/** What takes the place of the router's certificates. */
export interface ExtendedRouter {
  readonly routerId: string
  readonly key: KeyObject
  /** Leaf first, root left out; likewise `serverChain`. */
  readonly clientChain: readonly Certificate[]
  readonly serverChain: readonly Certificate[]
  readonly authorities: readonly Certificate[]
}

/** Asks at the Client API of a controller; refuses with `EnrollError`. */
export async function extendRouterCertificates(
  identity: Identity,
  clientApi: string,
  options: ExtendRouterOptions = {},
  deps: Pick<EnrollDeps, 'transport'> = {},
): Promise<ExtendedRouter> {
  const controller = new KnownController(clientApi, identity, { ...deps, signal: options.signal })
  const { certificate } = controller.client
  const routerId = certificate.commonName
  const key = options.key ?? controller.client.key
  const names = options.names ?? namesOf(identity.servers[0]?.certificate)
  const csr = signCertificateRequest({ subject: { ...options.subject, commonName: routerId }, key, names })
  const data = await controller.post('/enroll/extend/router', { certCsr: csr, serverCertCsr: csr })
  return {
    routerId,
    key,
    clientChain: readIssuedChain(data, 'cert', key),
    serverChain: readIssuedChain(data, 'serverCert', key),
    authorities: identity.caBundle,
  }
}

/** The SPIFFE id is left out: the controller decides who the router is. */
function namesOf(certificate: Certificate | undefined): Partial<AlternativeNames> {
  if (certificate === undefined) return {}
  return { ...certificate.names, uri: certificate.names.uri.filter((uri) => !isSpiffeUri(uri)) }
}
