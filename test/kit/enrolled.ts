/** Identities that have enrolled through the API, as clients do it. */
import assert from 'node:assert/strict'
import { encodePrivateKey, generatePrivateKey, signCertificateRequest } from '@weft/pki'
import { ApiClient, type ClientCertificate, type Server } from './api-client.ts'

export const clientApi = '/edge/client/v1'

/** Makes an identity and enrolls it with a one-time token: its certificate, and the key. */
export async function enrolledCertificate(server: Server, admin: ApiClient, name: string): Promise<ClientCertificate> {
  const identity = { name, type: 'Default', isAdmin: false, enrollment: { ott: true } }
  const id = await admin.create('identities', identity)
  const { enrollment } = (await admin.detail(`/identities/${id}`)) as { enrollment: { ott: { token: string } } }
  const key = await generatePrivateKey('P-256')
  const csr = signCertificateRequest({ subject: { commonName: id }, key })
  using client = new ApiClient(server, { base: clientApi })
  const type = { 'content-type': 'application/x-pem-file' }
  const reply = await client.request('POST', `/enroll?method=ott&token=${enrollment.ott.token}`, csr, type)
  assert.equal(reply.status, 200, reply.text)
  return { cert: (reply.body!.data as { cert: string }).cert, key: encodePrivateKey(key) }
}

/** Makes an identity that logs in by its name and a password. */
export async function enrolledPassword(admin: ApiClient, username: string, password: string): Promise<string> {
  const id = await admin.create('identities', { name: username, type: 'Default', isAdmin: false })
  await admin.create('authenticators', { method: 'updb', identityId: id, username, password })
  return id
}
