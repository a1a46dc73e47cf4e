import assert from 'node:assert/strict'
import { sign } from 'node:crypto'
import { before, test } from 'node:test'
import { CertificateAuthority } from './authority.ts'
import { Certificate } from './certificates.ts'
import {
  bitString,
  derTag,
  element,
  objectIdentifier,
  octetString,
  readElement,
  readElements,
  sequence,
} from './der.ts'
import { encodeName } from './distinguished-name.ts'
import { basicConstraints, keyUsage } from './extensions.ts'
import { generatePrivateKey, publicKeyOf } from './keys.ts'
import { signCertificate } from './sign-certificate.ts'
import { makeNetwork, noon, noonClock, type TestNetwork } from './testing/network.ts'
import { type ChainRequest, verifyChain } from './verify-chain.ts'

const day = 24 * 60 * 60_000
let network: TestNetwork
let stranger: TestNetwork
let leaf: Certificate

before(async () => {
  network = await makeNetwork()
  stranger = await makeNetwork()
  leaf = issueClient(network.intermediate)
})

function issueClient(authority: CertificateAuthority): Certificate {
  return authority.issueClientCertificate({ subject: { commonName: 'leaf' }, publicKey: network.publicKey }).certificate
}

function verdictOf(request: Partial<ChainRequest>) {
  const roots = [network.root.certificate]
  return verifyChain({ leaf, intermediates: [network.intermediate.certificate], roots, at: noon, ...request })
}

function reasonOf(request: Partial<ChainRequest>): string {
  const verdict = verdictOf(request)
  return verdict.isTrusted ? 'trusted' : verdict.reason
}

/** A certificate from a draft that no authority here would issue. */
function forged(options: { extensions: Buffer[]; issuer?: CertificateAuthority; subject?: Buffer }): Certificate {
  const issuer = options.issuer ?? network.intermediate
  return signCertificate(
    {
      issuer: issuer.certificate.content.subject,
      subject: options.subject ?? encodeName({ commonName: 'forged' }),
      notBefore: noon - day,
      notAfter: noon + day,
      publicKeyInfo: network.publicKey.export({ type: 'spki', format: 'der' }),
      extensions: options.extensions,
    },
    issuer.key,
  )
}

test('trusts a leaf through an intermediate, and tells the chain from leaf to root', () => {
  const verdict = verdictOf({})
  assert.ok(verdict.isTrusted)
  assert.deepEqual(
    verdict.chain.map((certificate) => certificate.fingerprint),
    [leaf, network.intermediate.certificate, network.root.certificate].map((certificate) => certificate.fingerprint),
  )
})

test('an intermediate may itself be the trusted root, and a self-signed leaf trusted by itself', () => {
  assert.equal(reasonOf({ intermediates: [], roots: [network.intermediate.certificate] }), 'trusted')
  assert.equal(reasonOf({ leaf: network.root.certificate, intermediates: [] }), 'trusted')
})

test('intermediates may come in any order, among strangers and more than once', () => {
  const intermediates = [
    stranger.intermediate.certificate,
    leaf,
    stranger.root.certificate,
    network.intermediate.certificate,
    network.intermediate.certificate,
  ]
  assert.equal(reasonOf({ intermediates }), 'trusted')
})

test('only the leaf is judged: a trusted certificate beside an untrusted leaf changes nothing', () => {
  const outsider = issueClient(stranger.intermediate)
  const intermediates = [
    leaf,
    network.intermediate.certificate,
    network.root.certificate,
    stranger.intermediate.certificate,
  ]
  assert.notEqual(reasonOf({ leaf: outsider, intermediates }), 'trusted')
})

test('a leaf without its intermediate, and a leaf of strangers, have no known issuer', () => {
  assert.equal(reasonOf({ intermediates: [] }), 'UNKNOWN_ISSUER')
  assert.equal(reasonOf({ roots: [] }), 'UNKNOWN_ISSUER')
  assert.equal(
    reasonOf({ leaf: issueClient(stranger.intermediate), intermediates: [stranger.intermediate.certificate] }),
    'UNKNOWN_ISSUER',
  )
})

test('an untrusted self-signed leaf is called that', () => {
  assert.equal(reasonOf({ leaf: stranger.root.certificate, roots: [] }), 'SELF_SIGNED')
})

test('validity counts for every member of the chain, to the second, and can be left to a later policy', async () => {
  assert.equal(reasonOf({ at: leaf.notAfter }), 'trusted')
  assert.equal(reasonOf({ at: leaf.notAfter + 1 }), 'EXPIRED')
  assert.equal(reasonOf({ at: leaf.notBefore }), 'trusted')
  assert.equal(reasonOf({ at: leaf.notBefore - 1 }), 'NOT_YET_VALID')
  assert.equal(reasonOf({ at: 'any time' }), 'trusted')
  const brief = await network.root.createIntermediate({ subject: { commonName: 'brief' }, lifetime: day })
  const below = issueClient(brief)
  assert.equal(below.notAfter, noon + day, 'a leaf does not outlive its issuer')
  assert.equal(reasonOf({ leaf: below, intermediates: [brief.certificate], at: noon + 2 * day }), 'EXPIRED')
})

test('a purpose must be allowed by every certificate that names purposes', () => {
  assert.equal(reasonOf({ purpose: 'clientAuth' }), 'trusted')
  assert.equal(reasonOf({ purpose: 'serverAuth' }), 'WRONG_PURPOSE')
  const anyPurpose = forged({ extensions: [basicConstraints({ isCa: false })] })
  assert.equal(reasonOf({ leaf: anyPurpose, purpose: 'serverAuth' }), 'trusted')
})

test('a leaf cannot issue, even with the right names and signature', () => {
  const middle = forged({
    extensions: [basicConstraints({ isCa: false })],
    subject: encodeName({ commonName: 'middle' }),
  })
  const below = signCertificate(
    {
      issuer: encodeName({ commonName: 'middle' }),
      subject: encodeName({ commonName: 'victim' }),
      notBefore: noon - day,
      notAfter: noon + day,
      publicKeyInfo: network.publicKey.export({ type: 'spki', format: 'der' }),
      extensions: [],
    },
    network.key,
  )
  assert.equal(reasonOf({ leaf: below, intermediates: [middle, network.intermediate.certificate] }), 'ISSUER_IS_NOT_CA')
})

test('an authority that may only sign leaves has no authorities below it', async () => {
  const further = await network.intermediate.createIntermediate({ subject: { commonName: 'further' } })
  const intermediates = [further.certificate, network.intermediate.certificate]
  assert.equal(reasonOf({ leaf: issueClient(further), intermediates }), 'PATH_TOO_LONG')
})

test('an authority without the right to sign certificates is no issuer', () => {
  const weak = forged({
    extensions: [basicConstraints({ isCa: true }), keyUsage(['digitalSignature'])],
    issuer: network.root,
    subject: encodeName({ commonName: 'no signer' }),
  })
  const authority = new CertificateAuthority({ certificate: weak, key: network.key }, { clock: noonClock })
  assert.notEqual(reasonOf({ leaf: issueClient(authority), intermediates: [weak] }), 'trusted')
})

test('a signature that does not fit is refused, whoever the names point to', () => {
  const der = Buffer.from(leaf.der)
  der[der.length - 1]! ^= 1
  assert.equal(reasonOf({ leaf: Certificate.fromDer(der) }), 'BAD_SIGNATURE')
})

test('what is not understood and critical refuses the chain, what is not critical does not', () => {
  const unknown = (critical: Buffer[]) =>
    sequence(objectIdentifier('1.2.3.4'), ...critical, octetString(Buffer.of(5, 0)))
  const isCritical = [element(derTag.boolean, Buffer.of(0xff))]
  assert.equal(reasonOf({ leaf: forged({ extensions: [unknown(isCritical)] }) }), 'UNSUPPORTED_CONSTRAINT')
  assert.equal(reasonOf({ leaf: forged({ extensions: [unknown([])] }) }), 'trusted')
  const nameConstraints = sequence(objectIdentifier('2.5.29.30'), octetString(sequence()))
  assert.equal(reasonOf({ leaf: forged({ extensions: [nameConstraints] }) }), 'UNSUPPORTED_CONSTRAINT')
})

test('a SHA-1 signature carries no trust', () => {
  const [tbs] = readElements(readElement(forged({ extensions: [] }).der).content)
  const old = sequence(objectIdentifier('1.2.840.10045.4.1'))
  const fields = readElements(tbs!.content).map((field, index) => (index === 2 ? old : field.bytes))
  const body = sequence(...fields)
  const der = sequence(body, old, bitString(sign('sha1', body, network.intermediate.key)))
  assert.equal(reasonOf({ leaf: Certificate.fromDer(der) }), 'WEAK_SIGNATURE')
})

test('a key on a curve or of a size that is too small carries no trust', async () => {
  const { generateKeyPairSync } = await import('node:crypto')
  for (const { publicKey } of [
    generateKeyPairSync('rsa', { modulusLength: 1024 }),
    generateKeyPairSync('ec', { namedCurve: 'secp224r1' }),
    generateKeyPairSync('ec', { namedCurve: 'secp256k1' }),
  ]) {
    const weak = network.intermediate.issueClientCertificate({ subject: { commonName: 'weak' }, publicKey })
    assert.equal(reasonOf({ leaf: weak.certificate }), 'WEAK_KEY')
  }
})

test('a long chain of authorities ends the search', async () => {
  let authority = network.root
  const authorities: Certificate[] = []
  for (let level = 0; level < 12; level++) {
    authority = await authority.createIntermediate({ subject: { commonName: `level ${level}` }, pathLength: 20 })
    authorities.push(authority.certificate)
  }
  assert.equal(reasonOf({ leaf: issueClient(authority), intermediates: authorities }), 'PATH_TOO_LONG')
})

test('hundreds of authorities of one name and key cost a bounded number of signature checks', async () => {
  const name = encodeName({ commonName: 'twin' })
  const key = await generatePrivateKey('P-256')
  const publicKeyInfo = publicKeyOf(key).export({ type: 'spki', format: 'der' })
  const extensions = [basicConstraints({ isCa: true }), keyUsage(['keyCertSign'])]
  const draft = { issuer: name, subject: name, notBefore: noon - day, publicKeyInfo, extensions }
  const twins = Array.from({ length: 300 }, (_, index) =>
    signCertificate({ ...draft, notAfter: noon + day + index * 1000 }, key),
  )
  const below = signCertificate({ ...draft, subject: encodeName({ commonName: 'below' }), notAfter: noon + day }, key)
  const started = performance.now()
  assert.equal(reasonOf({ leaf: below, intermediates: twins }), 'TOO_COMPLEX')
  assert.ok(performance.now() - started < 2_000)
})
