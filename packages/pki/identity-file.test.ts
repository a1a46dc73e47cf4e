import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import {
  clientApisOf,
  encodeIdentityFile,
  type IdentityFile,
  loadIdentityFile,
  parseIdentityFile,
  writeIdentityFile,
} from './identity-file.ts'
import { encodePrivateKey } from './keys.ts'
import { makeNetwork, noonClock, type TestNetwork } from './testing/network.ts'
import { temporaryDirectory } from './testing/openssl.ts'

const api = 'https://ctrl.weft.example:1280/edge/client/v1'
const plain: IdentityFile = { ztAPI: api, ztAPIs: null, configTypes: null, id: { ca: 'pem:x' } }
let network: TestNetwork
let pem: { key: string; cert: string; ca: string }

before(async () => {
  network = await makeNetwork()
  const { chainPem: cert } = network.intermediate.issueClientCertificate({
    subject: { commonName: 'i' },
    publicKey: network.publicKey,
  })
  const key = encodePrivateKey(network.key)
  pem = { key, cert, ca: network.root.certificate.pem }
})

test('members stand in the order in which the Go peers write them', () => {
  const file = { ...plain, id: { ca: 'pem:c', cert: 'pem:b', key: 'pem:a' } }
  assert.equal(
    encodeIdentityFile(file),
    `{"ztAPI":"${api}","ztAPIs":null,"configTypes":null,"id":{"key":"pem:a","cert":"pem:b","ca":"pem:c"},"enableHa":false}\n`,
  )
  assert.deepEqual(parseIdentityFile(encodeIdentityFile(file)), file)
})

test('files of either SDK are read, with what they leave out and what they add', () => {
  const cSdk = parseIdentityFile('{"ztAPI":"https://c.example:1280","id":{"key":"pem:k","cert":"pem:c","ca":"pem:a"}}')
  assert.deepEqual(clientApisOf(cSdk), ['https://c.example:1280/edge/client/v1'])
  const many = parseIdentityFile(
    JSON.stringify({
      ztAPIs: [`${api}/`, 'https://two.example'],
      configTypes: ['intercept.v1'],
      id: { ca: 'pem:a', key: null, cert: '' },
      enableHa: true,
      unknown: { a: 1 },
    }),
  )
  assert.equal(many.ztAPI, `${api}/`)
  assert.deepEqual(many.configTypes, ['intercept.v1'])
  assert.deepEqual(many.id, { ca: 'pem:a' })
  assert.deepEqual(clientApisOf(many), [api, 'https://two.example/edge/client/v1'])
  assert.deepEqual(clientApisOf({ ...plain, ztAPIs: [] }), [api])
})

const refused: Record<string, string> = {
  nothing: '',
  'half a file': '{"ztAPI":"https://c.example"',
  'a list': '[]',
  'no controller': '{"id":{}}',
  'a controller that is no text': '{"ztAPI":5,"id":{}}',
  'a controller without TLS': '{"ztAPI":"http://c.example","id":{}}',
  'no identity': '{"ztAPI":"https://c.example"}',
  'an identity that is a text': '{"ztAPI":"https://c.example","id":"x"}',
  'a key that is no text': '{"ztAPI":"https://c.example","id":{"key":{}}}',
  'controllers that are no list': '{"ztAPI":"https://c.example","id":{},"ztAPIs":"x"}',
  'controllers that are no addresses': '{"ztAPI":"https://c.example","id":{},"ztAPIs":["x"]}',
  'too many controllers': JSON.stringify({ ...plain, ztAPIs: Array.from({ length: 65 }, () => api) }),
}
for (const [name, text] of Object.entries(refused)) {
  test(`refuses ${name}`, () => {
    assert.throws(() => parseIdentityFile(text), { code: 'BAD_IDENTITY_FILE' })
  })
}

test('a refusal never repeats a key, and an endless file is not read', async () => {
  using home = temporaryDirectory()
  const broken = encodeIdentityFile({ ...plain, id: { key: `pem:${pem.key}` } }).replace('"enableHa"', 'enableHa')
  assert.throws(
    () => parseIdentityFile(broken),
    (error: Error) => !`${error.stack}${error.cause}`.includes(pem.key.split('\n')[1]!.slice(0, 20)),
  )
  const path = join(home.path, 'large.json')
  writeFileSync(path, Buffer.alloc(1024 * 1024 + 1))
  await assert.rejects(loadIdentityFile(path, { clock: noonClock }), { code: 'INPUT_TOO_LARGE' })
})

test('what is written loads with its keys, and is for its owner only', async () => {
  using home = temporaryDirectory()
  const path = join(home.path, 'id.json')
  const id = { key: `pem:${pem.key}`, cert: `pem:${pem.cert}`, ca: `pem:${pem.ca}` }
  await writeIdentityFile(path, { ...plain, id })
  assert.equal(statSync(path).mode & 0o777, 0o600)
  const { file, identity, problems } = await loadIdentityFile(path, { clock: noonClock })
  assert.deepEqual([file.id, problems], [id, []])
  assert.equal(identity!.client!.certPem, pem.cert)
  assert.equal(readFileSync(path, 'utf8'), encodeIdentityFile(file))
})

test('files it refers to are found beside it or by their whole path', async () => {
  using home = temporaryDirectory()
  mkdirSync(join(home.path, 'keys'))
  for (const [name, text] of Object.entries(pem)) writeFileSync(join(home.path, 'keys', name), text, { mode: 0o600 })
  const path = join(home.path, 'id.json')
  const id = { key: 'keys/key', cert: `file://${home.path}/keys/cert`, ca: 'file:keys/ca' }
  await writeIdentityFile(path, { ...plain, id })
  const { identity, problems } = await loadIdentityFile(path, { clock: noonClock })
  assert.deepEqual(problems, [])
  assert.deepEqual(identity!.files.length, 2)
})

test('an identity without a certificate has only whom to trust; half of one is a problem', async () => {
  using home = temporaryDirectory()
  const path = join(home.path, 'id.json')
  await writeIdentityFile(path, { ...plain, id: { ca: `pem:${pem.ca}` } })
  const visitor = await loadIdentityFile(path, { clock: noonClock })
  assert.deepEqual([visitor.problems, visitor.identity!.client], [[], undefined])
  assert.equal(visitor.identity!.caPem, pem.ca)
  await writeIdentityFile(path, { ...plain, id: { cert: `pem:${pem.cert}`, ca: `pem:${pem.ca}` } })
  const half = await loadIdentityFile(path, { clock: noonClock })
  assert.deepEqual(half.problems, [{ path: 'id.key', message: 'is missing' }])
})
