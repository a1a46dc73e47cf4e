import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { assembleIdentity } from '@weft/model/config-sections'
import {
  CertificateAuthority,
  generatePrivateKey,
  parseCertificateRequest,
  publicKeyOf,
  writeRouterIdentity,
} from '@weft/pki'
import { RouterIdentity } from '../identity/router-identity.ts'
import { CertificateRenewal, type RenewalController } from './certificate-renewal.ts'

const limits = { timeout: 20_000 }
const day = 86_400_000
const folder = mkdtempSync(join(tmpdir(), 'weft-renewal-'))
after(() => rmSync(folder, { recursive: true }))
const root = await CertificateAuthority.createRoot({ subject: { commonName: 'root' } }, { clock: Date })
const stranger = await CertificateAuthority.createRoot({ subject: { commonName: 'other' } }, { clock: Date })
const key = await generatePrivateKey('P-256')
const otherKey = await generatePrivateKey('P-256')
let count = 0

interface Issue {
  readonly authority?: CertificateAuthority
  readonly commonName?: string
  readonly publicKey?: ReturnType<typeof publicKeyOf>
}

function issue({ authority = root, commonName = 'r-1', publicKey = publicKeyOf(key) }: Issue) {
  const request = { subject: { commonName }, publicKey }
  return {
    client: authority.issueClientCertificate(request),
    server: authority.issueServerCertificate({ ...request, hosts: ['r1.example.net'] }),
  }
}

async function setUp(answer: Issue = {}) {
  const name = `r${++count}`
  const at = (ending: string) => join(folder, `${name}.${ending}`)
  const files = { key: at('key'), cert: at('cert'), serverCert: at('server.cert'), ca: at('cas') }
  const { client, server } = issue({})
  await writeRouterIdentity(files, {
    key,
    clientChain: [client.certificate],
    serverChain: [server.certificate],
    authorities: [root.certificate],
  })
  const lines: string[] = []
  const add = (message: string, fields?: Readonly<Record<string, unknown>>) =>
    void lines.push(`${message} ${(fields?.['err'] as Error | undefined)?.message ?? ''}`.trim())
  const log = { info: add, warn: add, error: add }
  const { serverCert, ...others } = files
  const section = assembleIdentity({ ...others, serverCert, serverKey: undefined, altServerCerts: undefined })
  const identity = await RouterIdentity.load({ clock: Date, log }, { section, baseDirectory: folder })
  const asked: string[] = []
  const controller: RenewalController = {
    async request({ clientCertCsr }) {
      const { commonName, names } = parseCertificateRequest(clientCertCsr)
      asked.push(`${commonName} ${names.dns.join()}`)
      const issued = issue(answer)
      return { clientCertPem: issued.client.chainPem, serverCertPem: issued.server.chainPem }
    },
    async confirm(pem) {
      asked.push(`confirmed ${pem.length > 0}`)
    },
  }
  const sans = { dns: ['r1.example.net'], ip: [], uri: [], email: [] }
  const none = { country: undefined, province: undefined, locality: undefined, organizationalUnit: undefined }
  const csr = { ...none, organization: 'Example', sans }
  const time = { now: Date.now() }
  const reachable: { controller: RenewalController | undefined } = { controller }
  const make = (isForced = false, wanted: typeof csr | undefined = csr) =>
    new CertificateRenewal(
      { identity, controller: () => reachable.controller, now: () => time.now, log },
      { csr: wanted, files, isForced },
    )
  return { files, identity, asked, lines, time, make, reachable, controller }
}

test('in time, and only then, new certificates take the place of the old', limits, async () => {
  const { files, identity, asked, lines, time, make } = await setUp()
  await using _identity = identity
  const before = identity.current.client!.certificate
  await using renewal = make()
  await renewal.check()
  assert.deepEqual(asked, [], 'there is time')
  time.now = before.notAfter - 7 * day - 1_000
  assert.equal(renewal.isDue, false)
  time.now = before.notAfter - 6 * day
  await renewal.check()
  assert.deepEqual(asked.splice(0), ['r-1 r1.example.net', 'confirmed true'])
  assert.notEqual(identity.current.client!.certificate.fingerprint, before.fingerprint)
  assert.match(readFileSync(files.cert, 'utf8'), /BEGIN CERTIFICATE/)
  assert.ok(lines.includes('certificates renewed'))
})

test('forced, it waits for a controller and then happens once', limits, async () => {
  const { identity, asked, make, reachable, controller } = await setUp()
  await using _identity = identity
  await using renewal = make(true)
  reachable.controller = undefined
  await renewal.check()
  assert.deepEqual(asked, [])
  reachable.controller = controller
  await Promise.all([renewal.check(), renewal.check()])
  await renewal.check()
  assert.equal(asked.length, 2)
})

test('without a csr section the names stay as they are', limits, async () => {
  const { identity, asked, make } = await setUp()
  await using _identity = identity
  await using renewal = make(true, undefined)
  await renewal.check()
  assert.equal(asked[0], 'r-1 r1.example.net')
})

for (const [what, answer, problem] of [
  ['for another key', { publicKey: publicKeyOf(otherKey) }, /is for another key/],
  ['for another router', { commonName: 'r-2' }, /is for another router/],
  ['from another authority', { authority: stranger }, /is not trusted/],
] as const) {
  test(`a certificate ${what} is neither confirmed nor used`, limits, async () => {
    const { files, identity, asked, lines, make } = await setUp(answer)
    await using _identity = identity
    const before = readFileSync(files.cert, 'utf8')
    await using renewal = make(true)
    await renewal.check()
    assert.match(lines.at(-1)!, problem)
    assert.equal(asked.length, 1)
    assert.equal(readFileSync(files.cert, 'utf8'), before)
    assert.equal(renewal.isDue, true, 'it is tried again')
  })
}

test('a controller that does not take the confirmation leaves everything as it was', limits, async () => {
  const { files, identity, make, controller, reachable } = await setUp()
  await using _identity = identity
  reachable.controller = { ...controller, confirm: () => Promise.reject(new Error('VERIFY_ERROR')) }
  const before = readFileSync(files.cert, 'utf8')
  await using renewal = make(true)
  await renewal.check()
  assert.equal(readFileSync(files.cert, 'utf8'), before)
})
