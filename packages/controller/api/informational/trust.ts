/**
 * What a client needs before it can trust the network: the authorities, and a token that says where the network is.
 */
import { type Certificate, encodeCaBundleText } from '@weft/pki'
import { answerData } from '../../operation/envelope.ts'
import type { Answer, Operation } from '../../operation/operation.ts'

export interface TrustDeps {
  /** The authorities that clients should trust from now on. */
  readonly caBundle: () => readonly Certificate[]
  /** The network's own token, signed by the present server key. */
  readonly networkToken: () => string
}

export function trustOperations({ caBundle, networkToken }: TrustDeps): Operation[] {
  return [
    {
      operationId: 'listWellKnownCas',
      method: 'GET',
      path: '/.well-known/est/cacerts',
      access: 'anyone',
      produces: ['application/pkcs7-mime'],
      handle: () => bundleAnswer(encodeCaBundleText(caBundle())),
    },
    {
      operationId: 'listNetworkJWTs',
      method: 'GET',
      path: '/network-jwts',
      access: 'anyone',
      handle: () => answerData([{ name: 'default', token: networkToken() }]),
    },
  ]
}

/** The text is base64 already, and says so in a header that is part of EST rather than of HTTP. */
function bundleAnswer(body: string): Answer {
  const headers = { 'content-transfer-encoding': 'base64' }
  return { status: 200, body, contentType: 'application/pkcs7-mime', headers }
}
