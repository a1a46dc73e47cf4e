import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Identity, loadIdentitySection } from './identity-section.ts'
import { encodePrivateKey, generatePrivateKey, publicKeyOf } from './keys.ts'
import { followIdentity, followSigningCertificate, type Reloading } from './reloading.ts'
import type { IdentityProblem } from './section-reader.ts'
import { loadSigningCertificate } from './signing-certificate.ts'
import { makeNetwork, noonClock, type TestNetwork } from './testing/network.ts'
import { temporaryDirectory } from './testing/openssl.ts'

const section = { cert: 'cert', key: 'key', server_cert: 'server_cert', ca: 'ca' }
const timing = { debounce: 20, pollInterval: 60_000 }
let network: TestNetwork

before(async () => {
  network = await makeNetwork()
})

async function freshFiles(from = network): Promise<Record<'cert' | 'key' | 'server_cert' | 'ca', string>> {
  const key = await generatePrivateKey('P-256')
  const request = { subject: { commonName: 'c' }, publicKey: publicKeyOf(key) }
  return {
    key: encodePrivateKey(key),
    cert: from.intermediate.issueClientCertificate(request).chainPem,
    server_cert: from.intermediate.issueServerCertificate({ ...request, hosts: ['localhost'] }).chainPem,
    ca: from.root.certificate.pem,
  }
}

function write(directory: string, files: Partial<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text!, { mode: 0o600 })
}

/** What was heard, with a way to wait for more. */
function listener<T>() {
  const changes: T[] = []
  const refusals: (readonly IdentityProblem[])[] = []
  const waitFor = async (list: readonly unknown[], count: number) => {
    const deadline = performance.now() + 5_000
    while (list.length < count && performance.now() < deadline) await sleep(5)
    assert.equal(list.length, count)
  }
  return {
    changes,
    refusals,
    onChange: (value: T) => void changes.push(value),
    onRefused: (problems: readonly IdentityProblem[]) => void refusals.push(problems),
    untilChanged: (count: number) => waitFor(changes, count),
    untilRefused: (count: number) => waitFor(refusals, count),
  }
}

async function followed(directory: string) {
  const options = { baseDirectory: directory, clock: noonClock, ...timing }
  const { identity } = await loadIdentitySection(section, options)
  const heard = listener<Identity>()
  const reloading = await followIdentity(identity!, section, options, heard)
  return { reloading, heard, initial: identity! }
}

const servedBy = (reloading: Reloading<Identity>) => reloading.current.client!.certPem

test('new keys and certificates take the place of the old', async () => {
  using home = temporaryDirectory()
  write(home.path, await freshFiles())
  const { reloading, heard } = await followed(home.path)
  await using _ = reloading
  const next = await freshFiles()
  write(home.path, next)
  await heard.untilChanged(1)
  assert.equal(servedBy(reloading), next.cert)
  assert.equal(heard.changes[0], reloading.current)
  assert.equal(reloading.current.servers[0]!.keyPem, next.key)
  assert.deepEqual(heard.refusals, [])
})

test('a key without its certificate changes nothing until the rest is there', async () => {
  using home = temporaryDirectory()
  write(home.path, await freshFiles())
  const { reloading, heard, initial } = await followed(home.path)
  await using _ = reloading
  const { key, cert, server_cert } = await freshFiles()
  write(home.path, { key })
  await heard.untilRefused(1)
  assert.match(heard.refusals[0]![0]!.message, /the private key does not belong/)
  assert.equal(reloading.current, initial)
  write(home.path, { cert, server_cert })
  await heard.untilChanged(1)
  assert.equal(servedBy(reloading), cert)
})

test('damaged, foreign and missing files change nothing', async () => {
  using home = temporaryDirectory()
  write(home.path, await freshFiles())
  const { reloading, heard, initial } = await followed(home.path)
  await using _ = reloading
  const stranger = await freshFiles(await makeNetwork('stranger'))
  write(home.path, { cert: 'junk' })
  await heard.untilRefused(1)
  write(home.path, stranger)
  await heard.untilRefused(2)
  assert.match(heard.refusals[1]![0]!.message, /is not trusted/)
  assert.equal(reloading.current, initial)
  assert.deepEqual(heard.changes, [])
})

test('what is trusted stays as it was at start', async () => {
  using home = temporaryDirectory()
  write(home.path, await freshFiles())
  const { reloading, heard, initial } = await followed(home.path)
  await using _ = reloading
  const stranger = await makeNetwork('stranger')
  write(home.path, { ...(await freshFiles()), ca: stranger.root.certificate.pem })
  await heard.untilChanged(1)
  assert.equal(reloading.current.caPem, initial.caPem)
})

test('files that are written again with the same content are no news', async () => {
  using home = temporaryDirectory()
  const files = await freshFiles()
  write(home.path, files)
  const { reloading, heard } = await followed(home.path)
  await using _ = reloading
  write(home.path, files)
  await sleep(150)
  assert.equal(await reloading.reload(), 'same')
  assert.deepEqual([heard.changes.length, heard.refusals.length], [0, 0])
})

test('an operator can ask for it, and nothing happens after the end', async () => {
  using home = temporaryDirectory()
  write(home.path, await freshFiles())
  const { reloading, heard, initial } = await followed(home.path)
  write(home.path, await freshFiles())
  const outcomes = await Promise.all([reloading.reload(), reloading.reload()])
  assert.deepEqual(outcomes, ['changed', 'same'])
  assert.notEqual(reloading.current, initial)
  await reloading[Symbol.asyncDispose]()
  await reloading[Symbol.asyncDispose]()
  write(home.path, await freshFiles())
  assert.equal(await reloading.reload(), 'same')
  await sleep(150)
  assert.equal(heard.changes.length, 1)
})

test('what changed between loading and following is not missed', async () => {
  using home = temporaryDirectory()
  write(home.path, await freshFiles())
  const options = { baseDirectory: home.path, clock: noonClock, ...timing }
  const { identity } = await loadIdentitySection(section, options)
  const next = await freshFiles()
  write(home.path, next)
  const heard = listener<Identity>()
  await using reloading = await followIdentity(identity!, section, options, heard)
  assert.equal(servedBy(reloading), next.cert)
  assert.equal(heard.changes.length, 1)
})

test('an identity without files has nothing to follow', async () => {
  const files = await freshFiles()
  const { identity } = await loadIdentitySection(files, { baseDirectory: '/', clock: noonClock })
  const options = { baseDirectory: '/', clock: noonClock, ...timing }
  await using reloading = await followIdentity(identity!, files, options, listener())
  assert.equal(await reloading.reload(), 'same')
})

test('the signing certificate follows its files as well', async () => {
  using home = temporaryDirectory()
  const options = { baseDirectory: home.path, clock: noonClock, caBundle: [network.root.certificate], ...timing }
  const signer = { cert: 'cert', key: 'key' }
  const store = ({ certificate, key }: TestNetwork['intermediate']) =>
    write(home.path, { cert: certificate.pem, key: encodePrivateKey(key) })
  store(network.intermediate)
  const { signing } = await loadSigningCertificate(signer, options)
  const heard = listener<typeof signing>()
  await using reloading = await followSigningCertificate(signing!, signer, options, heard)
  write(home.path, { key: 'junk' })
  await heard.untilRefused(1)
  assert.equal(reloading.current, signing)
  store(await network.root.createIntermediate({ subject: { commonName: 'next ca' } }))
  await heard.untilChanged(1)
  assert.equal(reloading.current.authority.certificate.commonName, 'next ca')
})
