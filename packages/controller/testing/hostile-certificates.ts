/**
 * Certificates that look like those of an authority's client and are none that it would vouch for, or not now. Each comes
 * with its key, so that a connection proves it.
 */
import { CertificateAuthority, encodePrivateKey, parseLeafCertificate, publicKeyOf } from '@weft/pki'
import { newKey } from './enrolling.ts'
import type { ClientCertificate } from './test-controller.ts'

export interface ClientNames {
  readonly commonName: string
  readonly uri?: readonly string[]
}

const DAY = 86_400_000

/** By what is wrong; `names` are those that a good one would have. */
export async function hostileCertificates(
  authority: CertificateAuthority,
  { commonName, uri = [] }: ClientNames,
): Promise<Readonly<Record<string, ClientCertificate>>> {
  const subject = { commonName }
  const newRoot = (name: string) =>
    CertificateAuthority.createRoot({ subject: { commonName: name } }, { clock: { now: Date.now } })
  const issue = (by: CertificateAuthority, purpose: 'clientAuth' | 'serverAuth' = 'clientAuth', lifetime = DAY) => {
    const key = newKey()
    const request = { subject, publicKey: publicKeyOf(key), names: { uri }, lifetime }
    return { cert: by.issue({ ...request, purposes: [purpose] }).chainPem, key: encodePrivateKey(key) }
  }
  const stranger = await newRoot('stranger')
  const impostor = await newRoot(authority.certificate.commonName)
  const own = issue(stranger)
  const borrowed = issue(authority)
  return {
    'signed by itself': asLeaf(await newRoot(commonName)),
    'of an unknown authority': own,
    'of an authority by the same name': issue(impostor),
    'of an unknown authority that came along': { cert: own.cert + stranger.certificate.pem, key: own.key },
    'of an unknown authority, with a good one behind it': { cert: own.cert + borrowed.cert, key: own.key },
    'for servers': issue(authority, 'serverAuth'),
    'of the authority itself': asLeaf(authority),
  }
}

/** An authority that comes as a client. */
export function asLeaf({ certificate, chain, key }: CertificateAuthority): ClientCertificate {
  const above = chain.filter((issuer) => !issuer.equals(certificate))
  return { cert: [certificate, ...above].map(({ pem }) => pem).join(''), key: encodePrivateKey(key) }
}

/** Certificates of the authority that are good for nothing but their time. */
export function untimelyCertificates(
  authority: CertificateAuthority,
  { commonName, uri = [] }: ClientNames,
): Readonly<Record<'expired' | 'not yet valid', ClientCertificate>> {
  const at = (offset: number) => {
    const { certificate, key, chain } = authority
    const issuers = chain.filter((above) => !above.equals(certificate))
    const clock = { now: () => Date.now() + offset }
    const later = new CertificateAuthority({ certificate, key, issuers }, { clock })
    const leafKey = newKey()
    const request = { subject: { commonName }, publicKey: publicKeyOf(leafKey), names: { uri }, lifetime: DAY }
    return { cert: later.issue({ ...request, purposes: ['clientAuth'] }).chainPem, key: encodePrivateKey(leafKey) }
  }
  return { expired: at(-3 * DAY), 'not yet valid': at(3 * DAY) }
}

export function fingerprintOf({ cert }: ClientCertificate): string {
  return parseLeafCertificate(cert).fingerprint
}
