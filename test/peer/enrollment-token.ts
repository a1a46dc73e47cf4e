/** Enrollment tokens that the CLI wrote into files, read as an enrolling client reads them. */
import assert from 'node:assert/strict'
import { verify } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:tls'
import type { ControllerProcess } from '../kit/controller-process.ts'

export interface TokenClaims {
  readonly iss: string
  readonly sub: string
  readonly em: string
  readonly jti: string
  readonly exp?: number
}

/** What a token says, after its signature was checked with the certificate that the controller shows. */
export async function readToken(token: string, { port, ca }: ControllerProcess): Promise<TokenClaims> {
  const [header, payload, signature] = token.trim().split('.')
  assert.equal((decoded(header) as { alg: string }).alg, 'ES256')
  const socket = connect({ host: '127.0.0.1', port, ca, servername: 'localhost' })
  await once(socket, 'secureConnect')
  const key = socket.getPeerX509Certificate()!.publicKey
  socket.destroy()
  const signed = Buffer.from(`${header}.${payload}`)
  const isSigned = verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature!, 'base64url'))
  assert.ok(isSigned, 'the token is not signed by the controller')
  return decoded(payload) as TokenClaims
}

function decoded(part: string | undefined): unknown {
  return JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'))
}
