/**
 * Enrollment: how identities and routers come to the network. Nobody has a session yet; the token, the certificate of the
 * connection or the external token is what counts.
 *
 * Every client of the peers uses the one endpoint that takes the method as a parameter. Each method has a path of its own
 * besides, with the token in the body.
 */
import type { PasswordHasher } from '../../auth/password-hash.ts'
import { enrollCa } from '../../enroll/ca.ts'
import { CaArrivals } from '../../enroll/ca-arrivals.ts'
import type { EnrollDeps } from '../../enroll/enroll-deps.ts'
import { enrollOtt } from '../../enroll/ott.ts'
import { enrollOttCa } from '../../enroll/ottca.ts'
import { enrollRouter, extendRouter, type RouterCertificates, type RouterRequests } from '../../enroll/router.ts'
import { enrollToken, type TokenDeps } from '../../enroll/token.ts'
import { enrollUpdb } from '../../enroll/updb.ts'
import { ApiError } from '../../operation/api-error.ts'
import { answerData } from '../../operation/envelope.ts'
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import { shapeContract } from '../../resource-kit/shape-contract.ts'
import { objectShape, required, textShape } from '../../resource-kit/shapes.ts'
import { acceptsJson } from '../http/negotiation.ts'
import { type EnrollmentBody, enrollmentContract, genericContract } from './enroll-bodies.ts'
import { knownControllers } from './known-controllers.ts'

export interface ClientEnrollDeps extends EnrollDeps, TokenDeps {
  readonly hasher: PasswordHasher
}

type Enroll = (call: Call, token: string, body: EnrollmentBody) => Promise<Answer>

const routerShape = objectShape({ certCsr: required(textShape()), serverCertCsr: required(textShape()) })
const challengeShape = objectShape({
  keyId: required(textShape({ format: 'uuid' })),
  nonce: required(textShape({ format: 'uuid' })),
})

export function enrollOperations(deps: ClientEnrollDeps): Operation[] {
  const methods = enrollmentMethods(deps)
  const byMethod = (operationId: string, method: string, name: string): Operation => ({
    operationId,
    method: 'POST',
    path: `/enroll/${method}`,
    access: 'anyone',
    isOfCrowds: true,
    body: enrollmentContract(name, { isRequired: method !== 'ca' }),
    parameters: method === 'updb' ? [{ name: 'token', kind: 'text' }] : [],
    handle: (call: Call<EnrollmentBody | undefined>) => {
      const body = call.body ?? {}
      return methods[method]!(call, body.token ?? call.query.get('token') ?? '', body)
    },
  })
  return [
    {
      operationId: 'enroll',
      method: 'POST',
      path: '/enroll',
      access: 'anyone',
      isOfCrowds: true,
      body: genericContract,
      parameters: [
        { name: 'method', kind: 'text' },
        { name: 'token', kind: 'text' },
      ],
      handle(call: Call<EnrollmentBody | undefined>) {
        if (!acceptsJson(call.header('accept'))) throw new ApiError('UNSUPPORTED_MEDIA')
        const token = call.query.get('token') ?? ''
        const method = call.query.get('method')
        if (!method) return oldest(deps, call, token)
        const enroll = Object.hasOwn(methods, method) ? methods[method] : undefined
        if (enroll === undefined) throw new ApiError('INVALID_ENROLL_METHOD')
        return enroll(call, token, call.body ?? {})
      },
    },
    byMethod('enrollOtt', 'ott', 'ottEnrollmentRequest'),
    byMethod('enrollOttCa', 'ottca', 'ottEnrollmentRequest'),
    byMethod('enrollCa', 'ca', 'caEnrollmentRequest'),
    byMethod('enrollUpdb', 'updb', 'updbCredentials'),
    byMethod('enrollErOtt', 'erott', 'erOttEnrollmentRequest'),
    byMethod('enrollToken', 'token', 'tokenEnrollmentRequest'),
    {
      operationId: 'extendRouterEnrollment',
      method: 'POST',
      path: '/enroll/extend/router',
      access: 'anyone',
      body: shapeContract('routerExtendEnrollmentRequest', routerShape),
      async handle(call: Call<RouterRequests>) {
        return answerData(chains(await extendRouter(deps, call, call.body)))
      },
    },
    {
      operationId: 'enrollmentChallenge',
      method: 'POST',
      path: '/enroll/challenge',
      access: 'anyone',
      body: shapeContract('nonce', challengeShape),
      handle: () => notImplemented('enroll.EnrollmentChallenge'),
    },
    {
      operationId: 'getEnrollmentJwks',
      method: 'GET',
      path: '/enroll/jwks',
      access: 'anyone',
      handle: () => notImplemented('enroll.GetEnrollmentJwks'),
    },
  ]
}

function enrollmentMethods(deps: ClientEnrollDeps): Readonly<Record<string, Enroll>> {
  const { kit, signer } = deps
  const arrivals = new CaArrivals(deps.clock)
  const controllers = (call: Call) => ({ controllers: knownControllers(kit, call) })
  const router =
    (method: 'erott' | 'trott'): Enroll =>
    async (call, token, { certCsr, serverCertCsr, clientCsr, serverCsr }) => {
      const requests = { certCsr: certCsr ?? clientCsr, serverCertCsr: serverCertCsr ?? serverCsr }
      const issued = await enrollRouter(deps, call, { method, token, ...requests })
      return answerData({ ...chains(issued), ca: signer.authorities.pem })
    }
  return {
    async ott(call, token, { clientCsr }) {
      const cert = await enrollOtt(deps, call, { token, clientCsr })
      return answerData({ cert, ...controllers(call) })
    },
    async ottca(call, token) {
      await enrollOttCa(deps, call, token)
      return answerData(controllers(call))
    },
    async ca(call, _token, { name }) {
      await enrollCa({ ...deps, arrivals }, call, name)
      return answerData({})
    },
    async updb(call, token, { password }) {
      const username = await enrollUpdb(deps, call, { token, password })
      return answerData({ username, ...controllers(call) })
    },
    async token(call, _token, { clientCsr }) {
      const issued = await enrollToken(deps, call, clientCsr)
      const certified = issued && { cert: issued.chainPem, ca: signer.authorities.pem }
      return answerData({ ...certified, ...controllers(call) })
    },
    erott: router('erott'),
    trott: router('trott'),
  }
}

/** As clients ask that know one method and one controller. */
async function oldest(deps: EnrollDeps, call: Call<EnrollmentBody | undefined>, token: string): Promise<Answer> {
  return answerData({ cert: await enrollOtt(deps, call, { token, clientCsr: call.body?.clientCsr }) })
}

function chains({ client, server }: RouterCertificates) {
  return { cert: client.chainPem, serverCert: server.chainPem }
}

/** In the specification of the peers, and served by none of them. */
function notImplemented(operation: string): Answer {
  return { status: 501, body: `operation ${operation} has not yet been implemented` }
}
