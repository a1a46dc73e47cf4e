/**
 * Enrolling an identity: from the token someone was given to the identity file their programs work with.
 *
 * What happens depends on the token's method. `ott` makes a key and has it certified; `ottca` and `ca` present a
 * certificate that is there already; `updb` sets the password; `network` only learns whom to trust, or enrolls with the
 * token of an identity provider. Nothing is written: the caller stores the file, and only then throws the token away.
 */
import type { KeyObject } from 'node:crypto'
import { encodeCertificates } from '../certificates.ts'
import { clientApiPath, type IdentityFile, type IdentitySources } from '../identity-file.ts'
import { defaultKeyKind, encodePrivateKey, generatePrivateKey, type KeyKind } from '../keys.ts'
import { isRecord } from '../section-reader.ts'
import { signCertificateRequest } from '../sign-certificate-request.ts'
import { EnrollError } from './enroll-error.ts'
import { readIssuedChain } from './issued-certificates.ts'
import { type EnrollDeps, MetController } from './met-controller.ts'
import { type ReceivedMethod, readToken } from './received-token.ts'

/** A certificate that is there already. */
export interface OwnCertificate {
  readonly certPem: string
  readonly keyPem: string
  /** How the identity file refers to the two; without it they go into the file. */
  readonly sources?: { readonly cert: string; readonly key: string }
}

/** What the methods need beside the token. */
export interface EnrollIdentityOptions {
  /** Of the key that is made; P-256 unless told otherwise. */
  readonly keyKind?: KeyKind
  /** In place of a key that is made. */
  readonly key?: KeyObject
  /** For `ca` and `ottca`. */
  readonly certificate?: OwnCertificate
  /** For `updb`; the user name was decided when the enrollment was made. */
  readonly password?: string
  /** For `ca`: the name asked for, where the CA's name format has a place for it. */
  readonly name?: string
  /** For `network`: enrolls with the token of an identity provider. */
  readonly external?: ExternalEnrollment
  readonly signal?: AbortSignal
}

/** Enrollment with the token of an identity provider. */
export interface ExternalEnrollment {
  readonly token: string
  /** Which of the network's signers the token is from; found by its issuer otherwise. */
  readonly signerId?: string
  /** Whether later logins use a certificate that this enrollment issues, or tokens of the provider. */
  readonly credential: 'certificate' | 'token'
}

/** An identity that may log in from now on. */
export interface EnrolledIdentity {
  readonly method: ReceivedMethod
  readonly file: IdentityFile
  /** For `updb`: the name to log in with. */
  readonly username: string | undefined
}

/** Refuses with `EnrollError`; an enrollment that was refused can be tried again with the same token. */
export async function enrollIdentity(
  token: string,
  options: EnrollIdentityOptions = {},
  deps: EnrollDeps = {},
): Promise<EnrolledIdentity> {
  const received = readToken(token)
  const { method } = received
  if (method === 'erott' || method === 'trott') throw new EnrollError('UNKNOWN_METHOD', 'it enrolls a router')
  const controller = await MetController.meet(received, deps, options.signal)
  const authorities = await controller.fetchAuthorities()
  const { id, data } = await methods[method](controller, options)
  const username = data['username']
  return {
    method,
    username: typeof username === 'string' ? username : undefined,
    file: {
      ztAPI: controller.clientApi,
      ztAPIs: readApis(data['controllers']),
      configTypes: null,
      id: { ...id, ca: inline(encodeCertificates(authorities)) },
    },
  }
}

const maxControllers = 64
const headerPattern = /^[\x21-\x7e]{1,65536}$/

interface Outcome {
  readonly id: IdentitySources
  readonly data: Record<string, unknown>
}

type IdentityMethod = Exclude<ReceivedMethod, 'erott' | 'trott'>
type Enroll = (controller: MetController, options: EnrollIdentityOptions) => Promise<Outcome>

const methods: Readonly<Record<IdentityMethod, Enroll>> = {
  async ott(controller, options) {
    const key = await keyFor(options)
    const body = requestFor(key, controller.token.subjectId)
    const query = { method: 'ott', token: controller.token.token }
    const data = await controller.enroll({ query, contentType: 'application/x-pem-file', body })
    return { id: certified(key, data), data }
  },

  async ottca(controller, options) {
    const { post, id } = presented(options)
    const query = { method: 'ottca', token: controller.token.token }
    return { id, data: await controller.enroll({ ...post, query, contentType: 'text/plain' }) }
  },

  async ca(controller, options) {
    const { post, id } = presented(options)
    const { name } = options
    const named = name === undefined ? {} : { contentType: 'application/json', body: JSON.stringify({ name }) }
    return { id, data: await controller.enroll({ ...post, ...named, query: { method: 'ca' } }) }
  },

  async updb(controller, { password }) {
    if (password === undefined) throw new EnrollError('MISSING_INPUT', 'a password')
    const query = { method: 'updb', token: controller.token.token }
    const body = JSON.stringify({ password })
    return { id: {}, data: await controller.enroll({ query, contentType: 'application/json', body }) }
  },

  async network(controller, options) {
    const { external } = options
    if (external === undefined) return { id: {}, data: {} }
    for (const value of [external.token, external.signerId ?? '-']) {
      if (!headerPattern.test(value)) throw new EnrollError('MISSING_INPUT', 'a token of an identity provider')
    }
    const key = external.credential === 'certificate' ? await keyFor(options) : undefined
    const data = await controller.enroll({
      path: '/enroll/token',
      contentType: 'application/json',
      headers: {
        authorization: `Bearer ${external.token}`,
        ...(external.signerId === undefined ? {} : { 'ziti-token-issuer-id': external.signerId }),
      },
      // The controller decides what the identity is called; a subject has to stand there all the same.
      body: JSON.stringify(key === undefined ? {} : { clientCsr: requestFor(key, 'identity') }),
    })
    return { id: key === undefined ? {} : certified(key, data), data }
  },
}

async function keyFor({ key, keyKind = defaultKeyKind }: EnrollIdentityOptions): Promise<KeyObject> {
  return key ?? (await generatePrivateKey(keyKind))
}

function requestFor(key: KeyObject, commonName: string): string {
  return signCertificateRequest({ subject: { organization: 'Weft', commonName }, key })
}

function presented({ certificate }: EnrollIdentityOptions) {
  if (certificate === undefined) throw new EnrollError('MISSING_INPUT', 'a certificate of the CA, and its key')
  const { certPem, keyPem, sources } = certificate
  const id: IdentitySources = sources ?? { key: inline(keyPem), cert: inline(certPem) }
  return { post: { clientCertificate: { certPem, keyPem } }, id }
}

function certified(key: KeyObject, answer: Record<string, unknown>): IdentitySources {
  const chain = readIssuedChain(answer, 'cert', key)
  return { key: inline(encodePrivateKey(key)), cert: inline(encodeCertificates(chain)) }
}

/** With one controller the file needs no list; peers read a list of several as a cluster. */
function readApis(controllers: unknown): string[] | null {
  const list: unknown[] = Array.isArray(controllers) ? controllers.slice(0, maxControllers) : []
  const urls = list.flatMap((controller) => {
    const addresses = isRecord(controller) && isRecord(controller['apiAddresses']) ? controller['apiAddresses'] : {}
    const entries: unknown[] = Array.isArray(addresses['edge-client']) ? addresses['edge-client'] : []
    const urlsHere = entries.map((entry) => (isRecord(entry) ? entry['url'] : undefined))
    return urlsHere.filter((url) => typeof url === 'string' && isClientApi(url)).slice(0, 1) as string[]
  })
  return urls.length > 1 ? urls : null
}

function isClientApi(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' && url.pathname.replace(/\/$/, '').endsWith(clientApiPath)
}

function inline(pem: string): string {
  return `pem:${pem}`
}
