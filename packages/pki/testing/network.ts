/** A root, an intermediate and leaves, made at a fixed time, for tests that need certificates. */
import type { KeyObject } from 'node:crypto'
import { CertificateAuthority } from '../authority.ts'
import { generatePrivateKey, publicKeyOf } from '../keys.ts'

/** The moment at which everything here is made. */
export const noon = Date.UTC(2026, 5, 1, 12)
export const noonClock = { now: () => noon }

export interface TestNetwork {
  readonly root: CertificateAuthority
  readonly intermediate: CertificateAuthority
  readonly key: KeyObject
  readonly publicKey: KeyObject
}

export async function makeNetwork(name = 'weft.example', clock = noonClock): Promise<TestNetwork> {
  const root = await CertificateAuthority.createRoot(
    { subject: { commonName: `${name} root` }, trustDomain: name },
    { clock },
  )
  const intermediate = await root.createIntermediate({ subject: { organization: 'Weft', commonName: `${name} ca` } })
  const key = await generatePrivateKey('P-256')
  return { root, intermediate, key, publicKey: publicKeyOf(key) }
}
