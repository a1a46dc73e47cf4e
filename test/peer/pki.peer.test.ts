/** The stock tool's PKI and ours are one: a controller runs from either, and each tool goes on where the other stopped. */
import assert from 'node:assert/strict'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  encodeCertificates,
  encodePrivateKey,
  enrollRouter,
  extendRouterCertificates,
  loadIdentityFile,
  loadIdentitySection,
  parseCertificates,
  verifyChain,
} from '@weft/pki'
import { ApiClient } from '../kit/api-client.ts'
import { ControllerProcess } from '../kit/controller-process.ts'
import { initialised } from '../kit/initialised.ts'
import { enrolledInto, invited } from '../kit/invitations.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'
import { weftRefuses, weftSays } from '../kit/weft-command.ts'
import { PeerCli } from './peer-cli.ts'
import { PeerController } from './peer-controller.ts'

for (const { kind, authority, leaf } of [
  { kind: 'elliptic', authority: ['--curve', 'P384'], leaf: ['--curve', 'P256'] },
  { kind: 'RSA', authority: ['--private-key-size', '2048'], leaf: ['--private-key-size', '2048'] },
]) {
  test(`a controller runs from an ${kind} PKI of the stock tool, and both enrollers enroll there`, async () => {
    await using folder = await temporaryFolder('peer-pki')
    const cli = new PeerCli(folder.path)
    const create = (...args: string[]) => cli.says('pki', 'create', ...args, '--pki-root', 'pki')
    const path = (...parts: string[]) => join(folder.path, 'pki', ...parts)
    await create('ca', '--ca-file', 'root', '--ca-name', 'root', '--trust-domain', 'peer.example', ...authority)
    await create('intermediate', '--ca-name', 'root', '--intermediate-file', 'mid', ...authority)
    const id = ['--ca-name', 'mid', '--spiffe-id', 'controller/ctrl1', ...leaf]
    await create('server', '--server-file', 'server', '--dns', 'localhost', '--ip', '127.0.0.1', ...id)
    await create('client', '--client-file', 'client', '--client-name', 'ctrl1', ...id)
    const certificates = {
      identity: {
        cert: path('mid', 'certs', 'client.chain.pem'),
        key: path('mid', 'keys', 'client.key'),
        server_cert: path('mid', 'certs', 'server.chain.pem'),
        server_key: path('mid', 'keys', 'server.key'),
        ca: path('root', 'certs', 'root.cert'),
      },
      signingCert: { cert: path('mid', 'certs', 'mid.cert'), key: path('mid', 'keys', 'mid.key') },
      ca: await readFile(path('root', 'certs', 'root.cert'), 'utf8'),
    }
    const configuration = await initialised(folder.path, { certificates })
    await using controller = await ControllerProcess.run(configuration)
    using api = await ApiClient.login(controller)
    const ours = join(folder.path, 'ours.json')
    await enrolledInto(ours, api, 'ours')
    const { jwt } = await invited(api, 'theirs')
    await writeFile(join(folder.path, 'theirs.jwt'), jwt)
    await cli.says('edge', 'enroll', '-j', 'theirs.jwt', '-o', 'theirs.json', '-a', 'EC')
    for (const file of [ours, join(folder.path, 'theirs.json')]) {
      const { identity, problems } = await loadIdentityFile(file, { clock: Date })
      assert.deepEqual(problems, [])
      assert.match(identity!.client!.certificate.names.uri[0]!, /^spiffe:\/\/peer\.example\/identity\//)
      assert.match(await weftSays('extend', file), /has a new certificate/)
    }
  })
}

test('each tool goes on where the other stopped', async () => {
  await using folder = await temporaryFolder('peer-pki')
  const cli = new PeerCli(folder.path)
  const root = join(folder.path, 'pki')
  const ours = (...args: string[]) => weftSays('pki', 'create', ...args, '--pki-root', root)
  const theirs = (...args: string[]) => cli.says('pki', 'create', ...args, '--pki-root', root, '--curve', 'P256')
  await ours('--trust-domain', 'both.example', '--controller', 'ctrl1')
  await theirs(
    'server',
    '--ca-name',
    'ctrl1',
    '--server-file',
    'edge',
    '--dns',
    'edge.example',
    '--spiffe-id',
    'router/r1',
  )
  await theirs('intermediate', '--ca-name', 'ca', '--intermediate-file', 'ctrl2')
  await ours('client', '--ca-name', 'ctrl2', '--client-file', 'alice')
  await ours('key', '--ca-name', 'ctrl2', '--key-file', 'spare')
  await theirs('client', '--ca-name', 'ctrl2', '--client-file', 'bob', '--key-file', 'spare')
  assert.match(
    await weftRefuses(
      'pki',
      'create',
      'server',
      '--ca-name',
      'ctrl1',
      '--server-file',
      'edge',
      '--dns',
      'x',
      '--pki-root',
      root,
    ),
    /edge\.key/,
  )
  assert.match(
    await cli.refuses('pki', 'create', 'server', '--ca-name', 'ctrl1', '--dns', 'x', '--pki-root', root),
    /already exists/,
  )
  const [trusted] = parseCertificates(await readFile(join(root, 'ca', 'certs', 'ca.cert'), 'utf8'))
  for (const [authority, name] of [
    ['ctrl1', 'edge'],
    ['ctrl2', 'alice'],
    ['ctrl2', 'bob'],
  ] as const) {
    const chain = parseCertificates(await readFile(join(root, authority, 'certs', `${name}.chain.pem`), 'utf8'))
    const [leaf, ...intermediates] = chain
    const verdict = verifyChain({ leaf: leaf!, intermediates, roots: [trusted!], at: Date.now() })
    assert.ok(verdict.isTrusted, `${name}: ${verdict.isTrusted || verdict.message}`)
    assert.equal(chain.length, 3)
  }
  if (process.platform !== 'win32') {
    assert.equal((await stat(join(root, 'ctrl2', 'keys', 'alice.key'))).mode & 0o777, 0o600)
  }
  const index = await readFile(join(root, 'ctrl2', 'index.txt'), 'utf8')
  assert.deepEqual(
    index
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[4]),
    ['alice.cert', 'bob.cert'],
  )
})

test('a stock controller runs from a PKI of ours, and ours enrolls and extends there', async () => {
  await using folder = await temporaryFolder('peer-pki')
  const root = join(folder.path, 'pki')
  const said = await weftSays('pki', 'create', '--pki-root', root, '--trust-domain', 'ours.example', '--json')
  const made = JSON.parse(said) as Record<string, { files: Record<'cert' | 'chain' | 'key', string> }>
  const [client, server, intermediate] = [made['client']!.files, made['server']!.files, made['intermediate']!.files]
  await using controller = await PeerController.start(folder.path, {
    identity: {
      cert: client.chain,
      key: client.key,
      server_cert: server.chain,
      server_key: server.key,
      ca: made['root']!.files.cert,
    },
    signingCert: { cert: intermediate.cert, key: intermediate.key },
  })
  const file = join(folder.path, 'alice.json')
  await controller.invitation('identity', 'alice')
  await weftSays('enroll', join(folder.path, 'alice.jwt'))
  const shown = JSON.parse(await weftSays('extend', file, '--new-key', '--json')) as { fingerprint: string }
  const { authenticators } = await controller.cli.named('identities', 'alice')
  assert.partialDeepStrictEqual(authenticators, { cert: { fingerprint: shown.fingerprint } })

  const router = await enrollRouter(await controller.invitation('edge-router', 'er1'), {
    names: { dns: ['er1.example'] },
  })
  const section = {
    cert: encodeCertificates(router.clientChain),
    server_cert: encodeCertificates(router.serverChain),
    key: encodePrivateKey(router.key),
    ca: encodeCertificates(router.authorities),
  }
  const { identity } = await loadIdentitySection(section, { baseDirectory: '/', clock: Date })
  const extended = await extendRouterCertificates(identity!, `${controller.url}/edge/client/v1`)
  const { fingerprint } = await controller.cli.named('edge-routers', 'er1')
  assert.equal(fingerprint, extended.clientChain[0]!.fingerprint)
})
