import assert from 'node:assert/strict'
import { createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { compactVerify, decodeProtectedHeader } from 'jose'
import {
  type EnrollmentInvitation,
  enrollmentClaims,
  signCaToken,
  signEnrollmentToken,
  signNetworkToken,
  TokenSigner,
  tokenHeader,
} from './enrollment-token.ts'
import { generatePrivateKey, type KeyKind, publicKeyOf } from './keys.ts'
import { makeNetwork } from './testing/network.ts'

const network = await makeNetwork()

async function makeSigner(kind: KeyKind): Promise<TokenSigner> {
  const key = await generatePrivateKey(kind)
  const request = { subject: { commonName: 'ctrl1' }, publicKey: publicKeyOf(key), hosts: ['ctrl.example.com'] }
  return new TokenSigner({ key, certificate: network.intermediate.issueServerCertificate(request).certificate })
}

const invitation: EnrollmentInvitation = {
  address: 'ctrl.example.com:1280',
  method: 'ott',
  subjectId: '3Gk1xq.Zp',
  token: '6f1f1c1e-3a0b-4d51-9a77-1b7a2f9d1c55',
  expiresAt: 1_767_225_600_999,
  controllerAddresses: ['tls:ctrl.example.com:6262'],
}

const encoded = (text: string) => Buffer.from(text).toString('base64url')
const payloadOf = (token: string) => Buffer.from(token.split('.')[1]!, 'base64url').toString()

test('header and claims have the octets of the worked examples', () => {
  assert.equal(
    encoded(tokenHeader('ES256', '0f6b1c5d9a8e7f60112233445566778899aabbcc')),
    'eyJhbGciOiJFUzI1NiIsImtpZCI6IjBmNmIxYzVkOWE4ZTdmNjAxMTIyMzM0NDU1NjY3Nzg4OTlhYWJiY2MiLCJ0eXAiOiJKV1QifQ',
  )
  assert.equal(
    encoded(JSON.stringify(enrollmentClaims(invitation))),
    'eyJpc3MiOiJodHRwczovL2N0cmwuZXhhbXBsZS5jb206MTI4MCIsInN1YiI6IjNHazF4cS5acCIsImF1ZCI6WyIiXSwiZXhwIjoxNzY3MjI1NjAwLCJqdGkiOiI2ZjFmMWMxZS0zYTBiLTRkNTEtOWE3Ny0xYjdhMmY5ZDFjNTUiLCJlbSI6Im90dCIsImN0cmxzIjpbInRsczpjdHJsLmV4YW1wbGUuY29tOjYyNjIiXX0',
  )
})

test('what a peer signed over the same claims verifies over our octets', () => {
  const header = encoded(tokenHeader('ES256', '651e76324a6006e3d34bb539ce3942c121a23130'))
  const claims = enrollmentClaims({
    ...invitation,
    address: 'ctrl.weft.example:1280',
    subjectId: 'K7cQ0bYVz',
    token: '4f1c2c0e-7a5e-4a0f-9a3e-0d6b2f3f7c11',
    expiresAt: 1_790_000_000_000,
    controllerAddresses: ['tls:ctrl.weft.example:6262'],
  })
  const key = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: 'PeIsqzkEVbJXA8dVoPfLaNmBDylXw_Qpx8gRaB0NJRI',
      y: 'sfJrg9zmlqOo-0-G-236QmDFukMhlHGVARoAtGFuMnE',
    },
  })
  const signature = 'hTCRvOWg7PnEpY73Qwp7GRWthYsJBFnWFPg1AfwGLIDR9KiSYMZRVKyudpXScbTtrr5wRlJDjSK8C1zQI2oKOw'
  const signed = Buffer.from(`${header}.${encoded(JSON.stringify(claims))}`)
  assert.ok(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')))
})

for (const [kind, algorithm, octets] of [
  ['P-256', 'ES256', 64],
  ['P-384', 'ES384', 96],
  ['RSA-2048', 'RS256', 256],
] as [KeyKind, string, number][]) {
  test(`a token under ${kind} is ${algorithm}, and an independent library verifies it`, async () => {
    const signer = await makeSigner(kind)
    const token = signEnrollmentToken(signer, invitation)
    assert.equal(Buffer.from(token.split('.')[2]!, 'base64url').length, octets)
    const verified = await compactVerify(token, signer.certificate.publicKey)
    assert.deepEqual(verified.protectedHeader, { alg: algorithm, kid: signer.certificate.fingerprint, typ: 'JWT' })
    assert.equal(Buffer.from(verified.payload).toString(), JSON.stringify(enrollmentClaims(invitation)))
    await assert.rejects(compactVerify(token, network.publicKey))
  })
}

test('the token of a CA names it twice, has a slash after the address, and does not expire', async () => {
  const token = signCaToken(await makeSigner('P-256'), { address: '127.0.0.1:1380', caId: '17vVbsfwDTwh8KRUA6uaGi' })
  assert.equal(
    payloadOf(token),
    '{"iss":"https://127.0.0.1:1380/","sub":"17vVbsfwDTwh8KRUA6uaGi","aud":["openziti-enroller"],"jti":"17vVbsfwDTwh8KRUA6uaGi","em":"ca","ctrls":null}',
  )
})

test('the token of the network names its address as issuer and subject', async () => {
  const token = signNetworkToken(await makeSigner('P-256'), {
    address: '127.0.0.1:1380',
    id: '40e0d761-1013-4256-bb39-121f7b064884',
  })
  assert.equal(
    payloadOf(token),
    '{"iss":"https://127.0.0.1:1380/","sub":"https://127.0.0.1:1380/","aud":["openziti-enroller"],"jti":"40e0d761-1013-4256-bb39-121f7b064884","em":"network","ctrls":null}',
  )
  assert.equal(decodeProtectedHeader(token).typ, 'JWT')
})

test('a signer needs the key of its certificate, and a key that tokens can be signed with', async () => {
  const { certificate } = await makeSigner('P-256')
  assert.throws(() => new TokenSigner({ key: network.key, certificate }), { code: 'KEY_MISMATCH' })
})
