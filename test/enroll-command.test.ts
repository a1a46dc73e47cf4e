/** `weft enroll` by every method that takes more than a token, at a server that keeps what it was asked. */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { encodePrivateKey, loadIdentityFile, parseCertificates } from '@weft/pki'
import { type EnrollmentServer, startEnrollmentServer } from '../packages/pki/testing/enrollment-server.ts'
import { makeNetwork, type TestNetwork } from '../packages/pki/testing/network.ts'
import { runWeft } from './kit/controller-process.ts'
import { type TemporaryFolder, temporaryFolder } from './kit/temporary-folder.ts'
import { weftRefuses, weftSays } from './kit/weft-command.ts'

let server: EnrollmentServer
let folder: TemporaryFolder
let partner: TestNetwork

before(async () => {
  server = await startEnrollmentServer()
  folder = await temporaryFolder('enroll')
  partner = await makeNetwork('partner.example', Date)
})

after(async () => {
  await server[Symbol.asyncDispose]()
  await folder[Symbol.asyncDispose]()
})

const at = (name: string) => join(folder.path, name)

async function stored(name: string, content: string): Promise<string> {
  await writeFile(at(name), content)
  return at(name)
}

test('with a certificate of a third-party CA, which stays where it is', async () => {
  const { chainPem } = partner.intermediate.issueClientCertificate({
    subject: { commonName: 'device-1' },
    publicKey: partner.publicKey,
  })
  const cert = await stored('device.pem', chainPem)
  const key = await stored('device.key', encodePrivateKey(partner.key))
  const token = await stored('ca.jwt', server.caToken())
  assert.match(await weftRefuses('enroll', token), /needs more than its token.*\n.*--cert and --key/)
  assert.ok(!existsSync(at('ca.json')), 'no empty file is left')
  assert.match(await weftRefuses('enroll', token, '--cert', cert), /--cert and --key together/)
  await weftSays('enroll', token, '--cert', cert, '--key', key, '--idname', 'kiosk')
  const asked = server.asked.at(-1)!
  assert.deepEqual(
    [asked.query['method'], asked.presented, JSON.parse(asked.body)],
    ['ca', 'CN=device-1', { name: 'kiosk' }],
  )
  const { file, problems } = await loadIdentityFile(at('ca.json'), { clock: Date })
  assert.deepEqual(problems, [])
  assert.deepEqual([file.id.cert, file.id.key], [`file://${cert}`, `file://${key}`])
})

test('with a password that no other process sees', async () => {
  const token = await stored('updb.jwt', server.invitation('updb'))
  await using child = runWeft(['enroll', token], { env: { WEFT_PASSWORD: 'correct horse' } })
  assert.equal((await child.ended).code, 0, child.stderr)
  assert.match(child.stdout, /Log in as alice\./)
  assert.doesNotMatch(child.stdout + (await readFile(at('updb.json'), 'utf8')), /correct horse/)
  assert.deepEqual(JSON.parse(server.asked.at(-1)!.body), { password: 'correct horse' })
})

test('with the token of an identity provider, and further authorities to trust', async () => {
  const token = await stored('network.jwt', server.networkToken())
  const external = await stored('external.jwt', 'header.payload.signature\n')
  const ca = await stored('more.pem', partner.root.certificate.pem)
  await weftSays('enroll', '-j', token, '-o', at('external.json'), '--ext-jwt', external, '--ca', ca)
  assert.equal(server.asked.at(-1)!.headers.authorization, 'Bearer header.payload.signature')
  const { identity, problems } = await loadIdentityFile(at('external.json'), { clock: Date })
  assert.deepEqual(problems, [])
  const [more] = parseCertificates(partner.root.certificate.pem)
  assert.ok(identity!.caBundle.some((certificate) => certificate.equals(more!)))
  assert.equal(identity!.caBundle.length, server.authorities.all.length + 1)
})

test('what is no token, or not there, is refused before anything is written', async () => {
  assert.match(await weftRefuses('enroll'), /weft enroll TOKEN\.jwt/)
  assert.match(await weftRefuses('enroll', at('none.jwt')), /none\.jwt/)
  assert.match(await weftRefuses('enroll', await stored('odd.jwt', 'odd')), /could not be read: it is not a signed JWT/)
  assert.ok(!existsSync(at('odd.json')))
})
