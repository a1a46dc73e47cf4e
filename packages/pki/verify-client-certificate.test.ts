import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { CertificateAuthority } from './authority.ts'
import type { Certificate } from './certificates.ts'
import { gatherAuthorities, type NetworkAuthorities } from './network-authorities.ts'
import { makeNetwork, noon, type TestNetwork } from './testing/network.ts'
import { type ClientCertificateRequest, verifyClientCertificate } from './verify-client-certificate.ts'

interface Ca {
  readonly id: string
  readonly certificate: Certificate
}

let own: TestNetwork
let partner: TestNetwork
let network: NetworkAuthorities
let leaf: Certificate
let partnerLeaf: Certificate

before(async () => {
  own = await makeNetwork()
  partner = await makeNetwork('partner.example')
  network = gatherAuthorities([own.root.certificate, own.intermediate.certificate])
  leaf = issue(own.intermediate)
  partnerLeaf = issue(partner.intermediate)
})

function issue(authority: CertificateAuthority, lifetime?: number): Certificate {
  const request = { subject: { commonName: 'leaf' }, publicKey: own.publicKey, lifetime }
  return authority.issueClientCertificate(request).certificate
}

function verdictOf(request: Partial<ClientCertificateRequest<Ca>>) {
  return verifyClientCertificate<Ca>({ leaf, network, ...request })
}

test('the network vouches for its own, and knows whether the client has sent its whole chain', () => {
  const proper = verdictOf({ sent: [own.intermediate.certificate] })
  assert.ok(proper.by === 'network')
  assert.deepEqual([proper.isProperChain, proper.chain.length], [true, 3])
  const alone = verdictOf({})
  assert.ok(alone.by === 'network')
  assert.deepEqual([alone.isProperChain, alone.chain.length], [false, 3])
})

test('a chain that carries the root as well, or strangers, is proper all the same', () => {
  const sent = [partner.root.certificate, own.root.certificate, own.intermediate.certificate]
  const verdict = verdictOf({ sent })
  assert.ok(verdict.by === 'network' && verdict.isProperChain)
})

test('an expired certificate is vouched for: a policy decides about it', () => {
  const verdict = verdictOf({ leaf: issue(own.intermediate, -60_000), sent: [own.intermediate.certificate] })
  assert.equal(verdict.by, 'network')
  assert.ok(noon > issue(own.intermediate, -60_000).notAfter)
})

test('an authority is no client, neither one of the network nor one that is registered', () => {
  for (const authority of [own.root, own.intermediate, partner.root]) {
    const registered = [{ id: 'partner', certificate: partner.root.certificate }]
    const verdict = verdictOf({ leaf: authority.certificate, sent: authority.chain, registered })
    assert.equal(verdict.by, 'nobody')
  }
})

test('a registered authority vouches for its own, and the answer names it', () => {
  const registered = [
    { id: 'one', certificate: own.root.certificate },
    { id: 'two', certificate: partner.root.certificate },
    { id: 'three', certificate: partner.intermediate.certificate },
  ]
  const sent = [partner.intermediate.certificate]
  const through = verdictOf({ leaf: partnerLeaf, sent, registered: registered.slice(0, 2) })
  assert.ok(through.by === 'registered')
  assert.equal(through.authority.id, 'two')
  const directly = verdictOf({ leaf: partnerLeaf, registered })
  assert.ok(directly.by === 'registered')
  assert.equal(directly.authority.id, 'three')
})

test('intermediates of a registered authority are not made up for', () => {
  const registered = [{ id: 'two', certificate: partner.root.certificate }]
  assert.equal(verdictOf({ leaf: partnerLeaf, registered }).by, 'nobody')
})

test('only the leaf counts, whatever trusted certificates stand beside it', () => {
  const sent = [leaf, own.intermediate.certificate, own.root.certificate, partner.intermediate.certificate]
  const verdict = verdictOf({ leaf: partnerLeaf, sent })
  assert.ok(verdict.by === 'nobody')
  assert.equal(verdict.reason, 'UNKNOWN_ISSUER')
})

test('a certificate for another purpose is refused, with the reason, by the network and by registered authorities', () => {
  const server = (authority: CertificateAuthority) =>
    authority.issueServerCertificate({ subject: { commonName: 's' }, publicKey: own.publicKey, hosts: ['a.example'] })
      .certificate
  const registered = [{ id: 'x', certificate: partner.intermediate.certificate }]
  for (const authority of [own.intermediate, partner.intermediate]) {
    const verdict = verdictOf({ leaf: server(authority), registered })
    assert.ok(verdict.by === 'nobody')
    assert.equal(verdict.reason, 'WRONG_PURPOSE')
  }
})

test('a self-signed stranger is called that', () => {
  const verdict = verdictOf({ leaf: partner.root.certificate })
  assert.ok(verdict.by === 'nobody')
  assert.equal(verdict.reason, 'SELF_SIGNED')
})
