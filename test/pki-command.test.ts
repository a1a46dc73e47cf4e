/** `weft pki`: a PKI from nothing in one command, its single steps, and a controller that runs from it. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { loadIdentityFile } from '@weft/pki'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { initialised } from './kit/initialised.ts'
import { enrolledInto } from './kit/invitations.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'
import { weftRefuses, weftSays } from './kit/weft-command.ts'

const limits = { timeout: 60_000 }

interface Shown {
  readonly kind: string
  readonly name: string
  readonly keyKind: string
  readonly files: { readonly cert: string; readonly chain: string; readonly key: string }
}

test('one command makes a PKI that a controller runs from, and somebody enrolls there', limits, async () => {
  await using folder = await temporaryFolder('pki')
  const root = join(folder.path, 'pki')
  const said = await weftSays('pki', 'create', '--pki-root', root, '--trust-domain', 'One.Example', '--json')
  const made = JSON.parse(said) as Record<'root' | 'intermediate' | 'server' | 'client', Shown>
  for (const { files } of Object.values(made)) {
    if (process.platform !== 'win32') assert.equal((await stat(files.key)).mode & 0o777, 0o600)
  }
  const certificates = {
    identity: {
      cert: made.client.files.chain,
      key: made.client.files.key,
      server_cert: made.server.files.chain,
      server_key: made.server.files.key,
      ca: made.root.files.cert,
    },
    signingCert: { cert: made.intermediate.files.cert, key: made.intermediate.files.key },
    ca: await readFile(made.root.files.cert, 'utf8'),
  }
  const configuration = await initialised(folder.path, { certificates })
  await using controller = await ControllerProcess.run(configuration)
  using api = await ApiClient.login(controller)
  const file = join(folder.path, 'alice.json')
  const id = await enrolledInto(file, api, 'alice')
  const { identity, problems } = await loadIdentityFile(file, { clock: Date })
  assert.deepEqual(problems, [])
  assert.deepEqual(identity!.client!.certificate.names.uri, [`spiffe://one.example/identity/${id}`])
})

test('the table tells people what there is and what to do next', limits, async () => {
  await using folder = await temporaryFolder('pki')
  const root = join(folder.path, 'pki')
  const create = ['pki', 'create', '--pki-root', root, '--trust-domain', 'one.example']
  const said = await weftSays(...create, '--host', 'ctrl.example,10.0.0.1', '--host', '::2', '--curve', 'p384')
  assert.match(said, /^KIND +AUTHORITY +NAME +COMMON NAME +KEY +ENDS +FILE$/m)
  assert.match(said, /^root +ca +ca +one\.example root +P-384 +\d{4}-\d\d-\d\d /m)
  assert.match(said, /^identity:\n {2}cert: ".*client\.chain\.pem"\n {2}key: ".*client\.key"$/m)
  const server = new X509Certificate(await readFile(join(root, 'controller', 'certs', 'server.cert')))
  for (const host of ['127.0.0.1', '10.0.0.1', '::2']) assert.ok(server.checkIP(host), host)
  for (const host of ['localhost', 'ctrl.example']) assert.ok(server.checkHost(host), host)

  assert.match(await weftRefuses(...create), /already holds .*"controller".*\n.*--controller/)
  await weftSays(...create, '--controller', 'second')
  const listed = JSON.parse(await weftSays('pki', 'list', '--pki-root', root, '--json')) as Shown[]
  assert.deepEqual(
    listed.map(({ kind, name }) => `${kind} ${name}`),
    [
      'root ca',
      'intermediate controller',
      'client client',
      'server server',
      'intermediate second',
      'client client',
      'server server',
    ],
  )
  const [renewed] = JSON.parse(
    await weftSays('pki', 'renew', 'server', '--ca-name', 'second', '--pki-root', root, '--json'),
  )
  assert.partialDeepStrictEqual(renewed, { kind: 'server', authority: 'second', commonName: 'second' })
  assert.match(await weftSays('pki', 'list', '--pki-root', folder.path), /holds no PKI.*weft pki create/)
})

test('the single steps, with the flags of the stock tool', limits, async () => {
  await using folder = await temporaryFolder('pki')
  const root = join(folder.path, 'pki')
  const create = (...args: string[]) => weftSays('pki', 'create', ...args, '--pki-root', root)
  const refuses = (...args: string[]) => weftRefuses('pki', 'create', ...args, '--pki-root', root)
  assert.match(
    await refuses('server', '--dns', 'a.example'),
    /no intermediate to sign with.*weft pki create intermediate/,
  )
  await create('ca', '--ca-file', 'root', '--ca-name', 'My Root', '--trust-domain', 'x', '--expire-limit', '900')
  await create('intermediate', '--ca-name', 'root', '--intermediate-file', 'mid', '--private-key-size', '2048')
  await create('key', '--key-file', 'web', '--curve', 'P521')
  const names = ['--dns', 'a.example,b.example', '--ip', '10.0.0.1', '--spiffe-id', '/controller/c1']
  const server = JSON.parse(await create('s', '--server-file', 'web', '--key-file', 'web', ...names, '--json')) as Shown
  assert.deepEqual([server.kind, server.keyKind], ['server', 'P-521'])
  const { subjectAltName } = new X509Certificate(await readFile(server.files.cert))
  for (const name of ['DNS:b.example', 'IP Address:10.0.0.1', 'URI:spiffe://x/controller/c1']) {
    assert.ok(subjectAltName!.includes(name), name)
  }
  await create('client', '--client-file', 'bob', '--client-name', 'Bob', '--email', 'bob@example.com')
  await create('csr', '--csr-file', 'cross', '--key-name', 'mid', '--csr-name', 'My Root')
  assert.match(await readFile(join(root, 'mid', 'certs', 'cross.csr'), 'utf8'), /BEGIN CERTIFICATE REQUEST/)
  assert.deepEqual((await readdir(join(root, 'mid', 'keys'))).sort(), ['bob.key', 'mid.key', 'web.key'])

  assert.match(await refuses('client', '--client-file', 'bob'), /bob\.key\n.*--client-file.*--allow-overwrite/)
  await create('client', '--client-file', 'bob', '--allow-overwrite')
  assert.match(await refuses('server', '--ca-name', 'none', '--dns', 'a'), /"none".*\n.*weft pki list/)
})
