import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadIdentitySection } from '../identity-section.ts'
import { loadSigningCertificate } from '../signing-certificate.ts'
import { noonClock } from '../testing/network.ts'
import { temporaryDirectory } from '../testing/openssl.ts'
import { resolveTrustDomain } from '../trust-domain.ts'
import { createNetworkPki } from './create-network.ts'
import { PkiFolder } from './pki-folder.ts'

const request = { trustDomain: 'Weft.Example', controllerId: 'ctrl1', hosts: ['ctrl.example', '::1'] }

test('all that a controller needs is made in one go, and loads', async () => {
  using home = temporaryDirectory()
  const folder = new PkiFolder(join(home.path, 'pki'), { clock: noonClock })
  const made = await createNetworkPki(folder, { ...request, keyKind: 'P-384' })
  assert.equal(made.isNewRoot, true)
  const { root, intermediate, server, client } = made
  const section = {
    cert: client.files.chain,
    key: client.files.key,
    server_cert: server.files.chain,
    server_key: server.files.key,
    ca: root.files.cert,
  }
  const options = { baseDirectory: '/', clock: noonClock }
  const { identity, problems, warnings } = await loadIdentitySection(section, options)
  assert.deepEqual([problems, warnings], [[], []])
  const { servers, caBundle } = identity!
  assert.equal(resolveTrustDomain({ serverChain: servers[0]!.chain, caBundle }).name, 'weft.example')
  assert.ok(servers[0]!.certificate.coversHost('::1'))
  assert.deepEqual(identity!.client!.certificate.names.uri, ['spiffe://weft.example/controller/ctrl1'])
  const signer = { cert: intermediate.files.cert, key: intermediate.files.key }
  const { signing, problems: others } = await loadSigningCertificate(signer, { ...options, caBundle })
  assert.deepEqual(others, [])
  assert.equal(signing!.authority.chain.length, 1)
})

test('the next controller of the network gets its own intermediate below the same root', async () => {
  using home = temporaryDirectory()
  const folder = new PkiFolder(home.path, { clock: noonClock })
  const first = await createNetworkPki(folder, request)
  const second = await createNetworkPki(folder, { ...request, controllerId: 'ctrl2' })
  assert.equal(second.isNewRoot, false)
  assert.ok(second.root.certificate!.equals(first.root.certificate!))
  assert.deepEqual(await folder.authorities(), ['ca', 'ctrl1', 'ctrl2'])
})

test('what could not be finished is not begun', async () => {
  using home = temporaryDirectory()
  const folder = new PkiFolder(home.path, { clock: noonClock })
  for (const [changes, code] of [
    [{ hosts: ['not a host'] }, 'BAD_HOST'],
    [{ trustDomain: 'a/b' }, 'BAD_TRUST_DOMAIN'],
    [{ controllerId: '../up' }, 'BAD_SPIFFE_ID'],
    [{ controllerId: '-x' }, 'BAD_FILE_NAME'],
    [{ controllerId: 'ca' }, 'NAME_TAKEN'],
  ] as const) {
    await assert.rejects(createNetworkPki(folder, { ...request, ...changes }), { code })
    assert.deepEqual(await folder.authorities(), [])
  }
  await createNetworkPki(folder, request)
  await assert.rejects(createNetworkPki(folder, request), { code: 'NAME_TAKEN' })
  const stranger = { ...request, controllerId: 'ctrl2', trustDomain: 'other.example' }
  await assert.rejects(createNetworkPki(folder, stranger), { code: 'PKI_DIFFERENT' })
  assert.deepEqual(await folder.authorities(), ['ca', 'ctrl1'])
})
