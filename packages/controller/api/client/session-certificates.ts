/**
 * Certificates for API sessions whose owner has none: routers demand one.
 *
 * They are always looked up through the caller's own session. Those of an access token are not stored: the name inside says
 * whose they are.
 */

import { timestamp } from '../../clock.ts'
import type { SessionCertificateIssuer } from '../../enroll/network-signer.ts'
import { ApiError, notFound } from '../../operation/api-error.ts'
import { answerData, empty } from '../../operation/envelope.ts'
import { type Answer, type Call, listParameters, type Operation } from '../../operation/operation.ts'
import type { Change } from '../../resource-kit/change.ts'
import { newId } from '../../resource-kit/ids.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import { shapeContract } from '../../resource-kit/shape-contract.ts'
import { objectShape, required, textShape } from '../../resource-kit/shapes.ts'
import type { SessionCertificate } from '../../resources/session-certificates.ts'
import type { View } from '../../state/view.ts'
import { baseRecord, ClientList } from './client-list.ts'

export interface SessionCertificatesDeps {
  readonly kit: Kit
  readonly signer: SessionCertificateIssuer
}

const PATH = '/current-api-session/certificates'
/** Of one session; the oldest makes room for a new one. */
const MOST_CERTIFICATES = 32

const shape = objectShape({ csr: required(textShape()) })

interface Requested {
  readonly csr: string
}

export function sessionCertificateOperations(deps: SessionCertificatesDeps): Operation[] {
  const { kit } = deps
  const certificates = new ClientList<SessionCertificate>(kit, 'api-session-certificates', shown)
  return [
    {
      operationId: 'listCurrentApiSessionCertificates',
      method: 'GET',
      path: PATH,
      access: 'session',
      parameters: listParameters,
      handle: (call: Call) => certificates.answer(call, ofSession(kit.view, call)),
    },
    {
      operationId: 'createCurrentApiSessionCertificate',
      method: 'POST',
      path: PATH,
      access: 'session',
      status: 201,
      body: shapeContract('sessionCertificate', shape),
      handle: (call: Call<Requested>) => create(deps, call),
    },
    {
      operationId: 'detailCurrentApiSessionCertificate',
      method: 'GET',
      path: `${PATH}/{id}`,
      access: 'session',
      // The peers answer this one without meta.
      handle: (call: Call) =>
        answerData(certificates.record(ownCertificate(kit.view, call), kit.rendering(call, 'detail')), null),
    },
    {
      operationId: 'deleteCurrentApiSessionCertificate',
      method: 'DELETE',
      path: `${PATH}/{id}`,
      access: 'session',
      async handle(call: Call) {
        await kit.write(call, (change) => change.remove('apiSessionCertificates', ownCertificate(change.view, call).id))
        return empty
      },
    },
  ]
}

async function create({ kit, signer }: SessionCertificatesDeps, call: Call<Requested>): Promise<Answer> {
  const { identityId, sessionId = '', bearer } = call.caller
  const id = newId('short')
  const wanted = { csr: call.body.csr, identityId, apiSessionId: sessionId, certificateId: id }
  const { certificate, chainPem, caPem } = signer.issueSessionCertificate(wanted)
  if (bearer === undefined) {
    const { fingerprint, commonName, notBefore, notAfter } = certificate
    const values = {
      apiSessionId: sessionId,
      certificate: chainPem,
      fingerprint,
      subject: `CN=${commonName}`,
      validFrom: timestamp(notBefore),
      validTo: timestamp(notAfter),
    }
    await kit.write(call, (change) => {
      makeRoom(change, call)
      change.create('apiSessionCertificates', values, { id })
    })
  }
  // The peers begin the bundle with an empty line.
  const data = { id, _links: linksOf(id), certificate: chainPem, cas: `\n${caPem}` }
  return { status: 201, body: { data, meta: {} } }
}

function makeRoom(change: Change, call: Call): void {
  const oldestFirst = [...ofSession(change.view, call)].sort((a, b) => (a.createdAt < b.createdAt ? -1 : 1))
  for (const { id } of oldestFirst.slice(0, Math.max(0, oldestFirst.length + 1 - MOST_CERTIFICATES))) {
    change.remove('apiSessionCertificates', id)
  }
}

function ofSession(view: View, { caller }: Call): Iterable<SessionCertificate> {
  return view.find('apiSessionCertificates', 'apiSessionId', caller.sessionId ?? '')
}

/** The certificate of `{id}`, if it is of the caller's session. */
function ownCertificate(view: View, { params, caller }: Call): SessionCertificate {
  const id = params['id']!
  const row = view.get('apiSessionCertificates', id)
  if (row === undefined) throw notFound('apiSessionCertificate', id)
  if (row.apiSessionId !== caller.sessionId) throw new ApiError('NOT_FOUND')
  return row
}

function shown(record: Readonly<Record<string, unknown>>, row: SessionCertificate) {
  const { certificate, fingerprint, subject, validFrom, validTo } = row
  return { ...baseRecord(record), _links: linksOf(row.id), certificate, fingerprint, subject, validFrom, validTo }
}

function linksOf(id: string) {
  return { self: { href: `.${PATH}/${id}` } }
}
