/**
 * The certificates by which routers judge others: the controller's own, whose keys sign tokens, and the authorities that
 * vouch for clients, the network's and those of others that were verified.
 */
import { createHash } from 'node:crypto'
import type { DataEventInit } from './data-event.ts'

export interface PublishedCertificates {
  /** Certificates whose keys sign, or have signed, tokens that may be alive. */
  signing(): Iterable<Buffer>
  /** Certificates that vouch for clients. */
  authorities(): Iterable<Buffer>
}

export function publicKeyEvents({ signing, authorities }: PublishedCertificates): DataEventInit[] {
  const events = new Map<string, DataEventInit>()
  const add = (der: Buffer, usages: readonly ('JWTValidation' | 'ClientX509CertValidation')[]) => {
    const kid = createHash('sha1').update(der).digest('hex')
    if (events.has(kid)) return
    const value = { data: der, kid, usages, format: 'X509CertDer' } as const
    events.set(kid, { action: 'Create', isSynthetic: true, model: { kind: 'publicKey', value } })
  }
  for (const der of signing()) add(der, ['JWTValidation', 'ClientX509CertValidation'])
  for (const der of authorities()) add(der, ['ClientX509CertValidation'])
  return [...events.values()]
}

/** What is new among the keys, and which of the old ones are no longer there. */
export function keyChanges(before: readonly DataEventInit[], after: readonly DataEventInit[]): DataEventInit[] {
  const had = new Set(before.map(kidOf))
  const has = new Set(after.map(kidOf))
  const told = (event: DataEventInit, action: 'Create' | 'Delete'): DataEventInit => ({ action, model: event.model! })
  return [
    ...after.filter((event) => !had.has(kidOf(event))).map((event) => told(event, 'Create')),
    ...before.filter((event) => !has.has(kidOf(event))).map((event) => told(event, 'Delete')),
  ]
}

function kidOf({ model }: DataEventInit): string | undefined {
  return model?.kind === 'publicKey' ? model.value.kid : undefined
}
