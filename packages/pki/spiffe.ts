/**
 * SPIFFE ids, the URI names by which certificates say who they are in a network.
 *
 *     spiffe://<trust domain>                                                              a certificate authority
 *     spiffe://<trust domain>/controller/<id>                                              a controller
 *     spiffe://<trust domain>/router/<id>                                                  a router
 *     spiffe://<trust domain>/identity/<id>                                                an identity
 *     spiffe://<trust domain>/identity/<id>/apiSession/<id>                                one of its sessions
 *     spiffe://<trust domain>/identity/<id>/apiSession/<id>/apiSessionCertificate/<id>     a session's certificate
 *
 * Any other shape is well-formed and names nobody here (`other`).
 */
import type { Certificate } from './certificates.ts'
import { PkiError } from './pki-error.ts'

const scheme = 'spiffe://'
const maxLength = 2048
const trustDomainPattern = /^[a-z0-9._-]{1,255}$/
const segmentPattern = /^[A-Za-z0-9._-]{1,255}$/

/** An id by what it names. */
export type SpiffeId =
  | { readonly kind: 'trust domain'; readonly trustDomain: string }
  | { readonly kind: 'controller'; readonly trustDomain: string; readonly controllerId: string }
  | { readonly kind: 'router'; readonly trustDomain: string; readonly routerId: string }
  | { readonly kind: 'identity'; readonly trustDomain: string; readonly identityId: string }
  | {
      readonly kind: 'api session'
      readonly trustDomain: string
      readonly identityId: string
      readonly apiSessionId: string
      /** Present in certificates made for a session, absent where the session alone is named. */
      readonly certificateId?: string
    }
  | { readonly kind: 'other'; readonly trustDomain: string; readonly path: readonly string[] }

/** The text of an id; refuses parts that would not read back. */
export function formatSpiffeId(id: SpiffeId): string {
  return [scheme + checkedTrustDomain(id.trustDomain), ...segmentsOf(id).map(checkedSegment)].join('/')
}

/** Reads an id; the trust domain is lower-case, ids keep their case. */
export function parseSpiffeId(text: string): SpiffeId {
  if (text.length > maxLength) throw new PkiError('BAD_SPIFFE_ID', `longer than ${maxLength} characters`)
  if (!text.toLowerCase().startsWith(scheme)) throw new PkiError('BAD_SPIFFE_ID', `it does not begin with ${scheme}`)
  const [domain = '', ...path] = text.slice(scheme.length).split('/')
  const trustDomain = checkedTrustDomain(domain.toLowerCase())
  if (path.length === 0 || (path.length === 1 && path[0] === '')) return { kind: 'trust domain', trustDomain }
  path.forEach(checkedSegment)
  const [kind, id = '', session, apiSessionId = '', last, certificateId = ''] = path
  if (path.length === 2 && kind === 'controller') return { kind, trustDomain, controllerId: id }
  if (path.length === 2 && kind === 'router') return { kind, trustDomain, routerId: id }
  if (kind === 'identity') {
    if (path.length === 2) return { kind, trustDomain, identityId: id }
    if (path.length === 4 && session === 'apiSession') {
      return { kind: 'api session', trustDomain, identityId: id, apiSessionId }
    }
    if (path.length === 6 && session === 'apiSession' && last === 'apiSessionCertificate') {
      return { kind: 'api session', trustDomain, identityId: id, apiSessionId, certificateId }
    }
  }
  return { kind: 'other', trustDomain, path }
}

/**
 * The SPIFFE id among a certificate's URI names, or undefined if it has none. A certificate with two of them could be
 * read as either, so it is refused.
 */
export function spiffeIdOf(certificate: Certificate): SpiffeId | undefined {
  const uris = certificate.names.uri.filter(isSpiffeUri)
  if (uris.length > 1) throw new PkiError('BAD_SPIFFE_ID', 'the certificate carries more than one')
  return uris[0] === undefined ? undefined : parseSpiffeId(uris[0])
}

/** Whether a URI claims to be a SPIFFE id, well-formed or not. */
export function isSpiffeUri(uri: string): boolean {
  return uri.toLowerCase().startsWith('spiffe:')
}

/** A trust domain as configured, with or without `spiffe://`; refuses a path. */
export function parseTrustDomain(text: string): string {
  const lower = text.trim().toLowerCase()
  return checkedTrustDomain(lower.startsWith(scheme) ? lower.slice(scheme.length) : lower)
}

function segmentsOf(id: SpiffeId): readonly string[] {
  switch (id.kind) {
    case 'trust domain':
      return []
    case 'controller':
      return ['controller', id.controllerId]
    case 'router':
      return ['router', id.routerId]
    case 'identity':
      return ['identity', id.identityId]
    case 'api session': {
      const session = ['identity', id.identityId, 'apiSession', id.apiSessionId]
      return id.certificateId === undefined ? session : [...session, 'apiSessionCertificate', id.certificateId]
    }
    case 'other':
      return id.path
  }
}

function checkedTrustDomain(domain: string): string {
  if (!trustDomainPattern.test(domain)) {
    throw new PkiError('BAD_TRUST_DOMAIN', 'up to 255 lower-case letters, digits, dots, dashes and underscores')
  }
  return domain
}

function checkedSegment(segment: string): string {
  if (!segmentPattern.test(segment) || segment === '.' || segment === '..') {
    throw new PkiError('BAD_SPIFFE_ID', 'path segments are letters, digits, dots, dashes and underscores')
  }
  return segment
}
