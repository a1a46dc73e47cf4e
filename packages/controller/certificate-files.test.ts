import assert from 'node:assert/strict'
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { test } from 'node:test'
import {
  createPki,
  type Identity,
  loadIdentitySection,
  loadSigningCertificate,
  type SigningCertificate,
} from '@weft/pki'
import { CertificateFiles } from './certificate-files.ts'
import { systemClock as clock } from './clock.ts'
import { createLogger } from './log/logger.ts'

async function network(directory: string) {
  const pki = { directory, trustDomain: 'weft', controllerId: 'controller', hosts: ['127.0.0.1'], clock }
  const { files } = await createPki(pki)
  return files
}

test('renewed files reach whoever uses them, and damaged ones do not', { timeout: 20_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'weft-files-'))
  try {
    const files = await network(join(directory, 'pki'))
    const web = join(directory, 'web')
    const other = await network(web)
    const section = {
      cert: files.clientChain,
      key: files.clientKey,
      server_cert: files.serverChain,
      server_key: files.serverKey,
      ca: files.caBundle,
    }
    const signingSection = { cert: files.intermediateCert, key: files.intermediateKey }
    const options = { baseDirectory: directory, clock }
    const { identity } = await loadIdentitySection(section, options)
    const { signing } = await loadSigningCertificate(signingSection, { ...options, caBundle: identity!.caBundle })

    const renewed = Promise.withResolvers<SigningCertificate>()
    const refused = Promise.withResolvers<string>()
    const identities: Identity[] = []
    const users = {
      identityRenewed: (value: Identity) => void identities.push(value),
      signingRenewed: (value: SigningCertificate) => renewed.resolve(value),
    }
    const stream = new Writable({
      write(line: Buffer, _encoding, done) {
        if (line.includes('refused')) refused.resolve(line.toString())
        done()
      },
    })
    await using log = createLogger({ stream }, { level: 'error', format: 'json' })
    const sources = { baseDirectory: directory, identity: section, web: new Map(), signing: signingSection }
    const loaded = { identity: identity!, web: new Map(), signing: signing! }
    await using _following = await CertificateFiles.follow({ clock, log, users }, loaded, sources)

    await copyFile(other.intermediateKey, files.intermediateKey)
    await copyFile(other.intermediateCert, files.intermediateCert)
    const { authority } = await renewed.promise
    assert.notEqual(authority.certificate.fingerprint, signing!.authority.certificate.fingerprint)

    await writeFile(files.serverChain, 'damaged')
    assert.match(await refused.promise, /server_cert/)
    assert.deepEqual(identities, [])
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
})
