/**
 * A controller reduced to what enrolling takes, on a real port: TLS that asks for a client certificate, the trust
 * bundle, and the enroll operations. It issues with this package and keeps what it was asked.
 */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { TLSSocket } from 'node:tls'
import { encodeCaBundleText } from '../ca-bundle.ts'
import { parseCertificateRequest } from '../certificate-request.ts'
import { Certificate } from '../certificates.ts'
import { EnrollmentIssuer } from '../enrollment-issuer.ts'
import {
  type EnrollmentInvitation,
  signCaToken,
  signEnrollmentToken,
  signNetworkToken,
  TokenSigner,
} from '../enrollment-token.ts'
import { encodePrivateKey, generatePrivateKey, type KeyKind, publicKeyOf } from '../keys.ts'
import { gatherAuthorities } from '../network-authorities.ts'
import { CertificateDesk } from './certificate-desk.ts'
import { makeNetwork } from './network.ts'

/** One request as it arrived. */
export interface Asked {
  readonly method: string
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingMessage['headers']
  readonly body: string
  /** Common name of the certificate that the client presented. */
  readonly presented: string | undefined
  readonly leaf: Certificate | undefined
}

/** Answers in place of the server; undefined lets it answer itself. */
export type Intercept = (asked: Asked, response: ServerResponse) => unknown

export interface EnrollmentServerOptions {
  readonly serverKeyKind?: KeyKind
  readonly intercept?: Intercept
  readonly controllers?: unknown
}

export type EnrollmentServer = Awaited<ReturnType<typeof startEnrollmentServer>>

export async function startEnrollmentServer(options: EnrollmentServerOptions = {}) {
  const network = await makeNetwork('weft.example', Date)
  const issuer = new EnrollmentIssuer({ authority: network.intermediate, trustDomain: 'weft.example' })
  const authorities = gatherAuthorities([network.root.certificate], [network.intermediate.certificate])
  const desk = new CertificateDesk(issuer, authorities.pem)
  const key = await generatePrivateKey(options.serverKeyKind ?? 'P-256')
  const issued = network.intermediate.issueServerCertificate({
    subject: { commonName: 'ctrl1' },
    publicKey: publicKeyOf(key),
    hosts: ['localhost', '127.0.0.1'],
  })
  const signer = new TokenSigner({ key, certificate: issued.certificate })
  const asked: Asked[] = []

  const tls = { key: encodePrivateKey(key), cert: issued.chainPem, requestCert: true, rejectUnauthorized: false }
  const server = createServer({ ...tls, minVersion: 'TLSv1.2' }, async (request, response) => {
    const heard = await hear(request)
    asked.push(heard)
    if (options.intercept?.(heard, response) === undefined) answer(heard, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`

  function answer(heard: Asked, response: ServerResponse): void {
    const path = heard.path.replace(/^\/edge\/client\/v1/, '')
    const desked = desk.answer({ ...heard, path })
    if (desked !== undefined) send(response, ...desked)
    else if (path === '/.well-known/est/cacerts') {
      response.setHeader('content-type', 'application/pkcs7-mime')
      response.end(encodeCaBundleText(authorities.all))
    } else if (path.startsWith('/enroll')) send(response, 200, { data: enrolled(heard, path), meta: {} })
    else send(response, 200, { data: { version: 'v2.1.0', capabilities: [], apiVersions: {} }, meta: {} })
  }

  function enrolled({ query, body }: Asked, path: string): object {
    const { controllers = [] } = options
    const identityId = `for-${query['token'] ?? 'someone'}`.slice(0, 40)
    const identity = (csr: string) => {
      const { certificate, chainPem } = issuer.issueIdentity({ request: parseCertificateRequest(csr), identityId })
      desk.inForce = certificate.fingerprint
      return chainPem
    }
    switch (path === '/enroll/token' ? 'token' : query['method']) {
      case 'ott':
        return { cert: identity(body), controllers }
      case 'updb':
        return { username: 'alice', controllers }
      case 'token': {
        const { clientCsr } = JSON.parse(body) as { clientCsr?: string }
        return clientCsr === undefined
          ? { controllers }
          : { cert: identity(clientCsr), ca: authorities.pem, controllers }
      }
      case 'erott':
      case 'trott': {
        const wanted = JSON.parse(body) as { certCsr: string; serverCertCsr: string }
        const client = parseCertificateRequest(wanted.certCsr)
        const server = parseCertificateRequest(wanted.serverCertCsr)
        const routerId = client.commonName
        const dialing = issuer.issueRouterClient({ request: client, routerId })
        desk.inForce = dialing.certificate.fingerprint
        return {
          cert: dialing.chainPem,
          serverCert: issuer.issueRouterServer({ request: server, routerId }).chainPem,
          ca: `\n${authorities.pem}`,
        }
      }
      default:
        return { controllers }
    }
  }

  return {
    network,
    authorities,
    address,
    signer,
    asked,
    /** What becomes of the certificate that was enrolled last. */
    desk,
    /** A token of this server; it ends in an hour unless told otherwise. */
    invitation(method: EnrollmentInvitation['method'], changes: Partial<EnrollmentInvitation> = {}): string {
      const token = '4f1c2c0e-7a5e-4a0f-9a3e-0d6b2f3f7c11'
      const expiresAt = Date.now() + 3_600_000
      const controllerAddresses = ['tls:127.0.0.1:6262']
      const invitation = { address, method, subjectId: 'K7cQ0bYVz', token, expiresAt, controllerAddresses, ...changes }
      return signEnrollmentToken(signer, invitation)
    },
    caToken: () => signCaToken(signer, { address, caId: 'ca1' }),
    networkToken: () => signNetworkToken(signer, { address, id: '40e0d761-1013-4256-bb39-121f7b064884' }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** An answer as the controllers give it. */
export function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}

async function hear(request: IncomingMessage): Promise<Asked> {
  const url = new URL(request.url!, 'https://server')
  const presented = (request.socket as TLSSocket).getPeerX509Certificate()
  return {
    method: request.method!,
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: request.headers,
    body: await text(request),
    presented: presented?.subject,
    leaf: presented && Certificate.fromDer(presented.raw),
  }
}
