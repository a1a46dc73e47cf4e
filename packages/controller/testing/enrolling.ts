/** Whoever enrolls at a test controller: keys, requests for certificates, and authorities of third parties. */
import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { CertificateAuthority, encodePrivateKey, publicKeyOf, signCertificateRequest } from '@weft/pki'
import { systemClock } from '../clock.ts'
import { idOf } from './password-user.ts'
import type { Answered, ClientCertificate, TestController } from './test-controller.ts'

let count = 0

export function newKey(): KeyObject {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey
}

export function newCsr(commonName: string, key = newKey(), uri: readonly string[] = []): string {
  return signCertificateRequest({ subject: { commonName }, key, names: { uri } })
}

export interface Invited {
  readonly identityId: string
  readonly token: string
}

/** An identity with an open invitation. */
export async function invite(controller: TestController, enrollment: object): Promise<Invited> {
  const name = `invited ${++count}`
  const body = { name, type: 'Default', isAdmin: false, enrollment }
  const identityId = idOf(await controller.askAdmin('POST', '/identities', body))
  const { json } = await controller.askAdmin('GET', `/identities/${identityId}`)
  const [open] = Object.values(json.data.enrollment) as { token: string }[]
  return { identityId, token: open!.token }
}

/** Posts a request for a certificate as the peers do. */
export function enrollOtt(controller: TestController, token: string, csr: string): Promise<Answered> {
  const path = `/enroll?method=ott&token=${token}`
  return controller.askClient({ method: 'POST', path, body: csr, contentType: 'application/x-pem-file' })
}

/** The certificate of a new identity, good for connections. */
export async function enrolled(controller: TestController): Promise<Invited & ClientCertificate> {
  const invited = await invite(controller, { ott: true })
  const key = newKey()
  const { status, text, json } = await enrollOtt(controller, invited.token, newCsr(invited.identityId, key))
  assert.equal(status, 200, text)
  return { ...invited, cert: json.data.cert, key: encodePrivateKey(key) }
}

export interface ThirdParty {
  readonly caId: string
  readonly root: CertificateAuthority
  /** A certificate of it for a new key. */
  certify(
    commonName: string,
    options?: { readonly uri?: readonly string[]; readonly lifetime?: number },
  ): ClientCertificate
}

/** An authority of a third party, registered and verified. */
export async function registerCa(controller: TestController, values: object = {}): Promise<ThirdParty> {
  const name = `third party ${++count}`
  const root = await CertificateAuthority.createRoot(
    { subject: { commonName: name }, trustDomain: 'elsewhere' },
    { clock: systemClock },
  )
  const caId = idOf(
    await controller.askAdmin('POST', '/cas', {
      name,
      certPem: root.certificate.pem,
      isAuthEnabled: true,
      isAutoCaEnrollmentEnabled: true,
      isOttCaEnrollmentEnabled: true,
      identityRoles: ['device'],
      ...values,
    }),
  )
  await controller.write((change) => change.update('cas', caId, { isVerified: true }))
  return { caId, root, certify: (commonName, options) => certify(root, commonName, options) }
}

/** A certificate of an authority for a new key. */
export function certify(
  authority: CertificateAuthority,
  commonName: string,
  { uri = [], lifetime }: { readonly uri?: readonly string[]; readonly lifetime?: number } = {},
): ClientCertificate {
  const key = newKey()
  const { chainPem } = authority.issue({
    subject: { commonName },
    publicKey: publicKeyOf(key),
    purposes: ['clientAuth'],
    names: { uri },
    ...(lifetime !== undefined && { lifetime }),
  })
  return { cert: chainPem, key: encodePrivateKey(key) }
}
