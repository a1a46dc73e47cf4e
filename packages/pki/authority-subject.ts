/** What the authorities of a network are called in their certificates. */
import type { DistinguishedName } from './distinguished-name.ts'

/** A common name ends at 64 characters; the trust domain stands complete in the SPIFFE id. */
export function authoritySubject(name: string, role: 'root' | 'intermediate'): DistinguishedName {
  return { organization: 'Weft', commonName: `${name.slice(0, 48)} ${role}` }
}
