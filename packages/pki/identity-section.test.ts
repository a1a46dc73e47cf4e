import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test } from 'node:test'
import { createSecureContext } from 'node:tls'
import { encodeCertificates } from './certificates.ts'
import { createPki } from './create-pki.ts'
import { type IdentitySectionOptions, type LoadedIdentity, loadIdentitySection } from './identity-section.ts'
import { encodePrivateKey, generatePrivateKey, publicKeyOf } from './keys.ts'
import { makeNetwork, noon, noonClock, type TestNetwork } from './testing/network.ts'
import { openssl, opensslMissing, temporaryDirectory } from './testing/openssl.ts'

let network: TestNetwork
let good: Record<string, string>

before(async () => {
  network = await makeNetwork()
  const { intermediate, publicKey, key } = network
  const client = intermediate.issueClientCertificate({ subject: { commonName: 'c' }, publicKey })
  const server = intermediate.issueServerCertificate({ subject: { commonName: 'c' }, publicKey, hosts: ['localhost'] })
  good = {
    cert: client.chainPem,
    server_cert: server.chainPem,
    key: encodePrivateKey(key),
    ca: network.root.certificate.pem,
  }
})

function load(section: unknown, options: Partial<IdentitySectionOptions> = {}): Promise<LoadedIdentity> {
  return loadIdentitySection(section, { baseDirectory: '/nowhere', clock: noonClock, ...options })
}

const shown = (loaded: LoadedIdentity) => loaded.problems.map(({ path, message }) => `${path} ${message}`)

test('inline PEM gives a client, a server and a trust bundle that TLS accepts', async () => {
  const { identity, problems, warnings } = await load(good)
  assert.deepEqual([problems, warnings], [[], []])
  assert.equal(identity!.client!.chain.length, 2)
  assert.equal(identity!.servers.length, 1)
  assert.deepEqual(identity!.files, [])
  for (const { certPem, keyPem } of [identity!.client!, ...identity!.servers]) {
    createSecureContext({ cert: certPem, key: keyPem, ca: identity!.caPem })
  }
})

test('takes paths, file: and pem: values, relative to the base directory', async () => {
  using home = temporaryDirectory()
  mkdirSync(join(home.path, 'my certs'))
  for (const [name, text] of Object.entries(good))
    writeFileSync(join(home.path, 'my certs', name), text, { mode: 0o600 })
  const relative = await load(
    {
      cert: 'my certs/cert',
      server_cert: 'file:my certs/server_cert',
      key: 'file://my certs/key',
      ca: `pem:${good['ca']}`,
    },
    { baseDirectory: home.path },
  )
  assert.deepEqual([relative.problems, relative.warnings], [[], []])
  const inDirectory = (name: string) => join(home.path, 'my certs', name)
  assert.deepEqual([...relative.identity!.files].sort(), ['cert', 'key', 'server_cert'].map(inDirectory))
  const absolute = await load({
    cert: `file://${inDirectory('cert')}`,
    server_cert: inDirectory('server_cert'),
    key: `pem://${good['key']}`,
    ca: `file:${inDirectory('ca')}`,
  })
  assert.deepEqual(absolute.problems, [])
  assert.ok(!absolute.identity!.files.includes(inDirectory('ca')), 'the trust bundle is not watched')
})

test('all problems are reported at once, each under its own path', async () => {
  const foreign = encodePrivateKey(await generatePrivateKey('P-256'))
  const loaded = await load({
    cert: 'missing.pem',
    server_cert: good['server_cert'],
    key: foreign,
    server_key: 7,
    ca: good['key'],
    alt_server_certs: [{ server_key: good['key'] }, { server_cert: good['server_cert'] }],
  })
  assert.equal(loaded.identity, undefined)
  assert.deepEqual(loaded.problems.map(({ path }) => path).sort(), [
    'identity.alt_server_certs[0].server_cert',
    'identity.alt_server_certs[1].server_cert',
    'identity.ca',
    'identity.cert',
    'identity.server_key',
  ])
})

const wrong: Record<string, [change: Record<string, unknown>, problem: RegExp]> = {
  'a file that does not exist': [{ cert: 'gone.pem' }, /^identity\.cert \/nowhere\/gone\.pem does not exist$/],
  'a directory': [{ cert: '/' }, /^identity\.cert \/ is not a file$/],
  'an engine key': [
    { key: 'pkcs11:/usr/lib/softhsm.so?id=1' },
    /^identity\.key "pkcs11:" refers to an engine, which is not supported/,
  ],
  'a parsec key': [{ key: 'parsec:my-key' }, /^identity\.key "parsec:" refers to an engine/],
  'an empty pem: value': [{ key: 'pem:' }, /^identity\.key the input is not PEM/],
  'an empty file: value': [{ key: 'file:' }, /^identity\.key is neither a file path nor PEM/],
  'text that is neither path nor PEM': [
    { key: 'MHcCAQEE\nsecret' },
    /^identity\.key is neither a file path nor PEM text$/,
  ],
  'a number': [{ cert: 5 }, /^identity\.cert must be a string$/],
  'a list': [{ cert: ['a'] }, /^identity\.cert must be a string$/],
  'alternatives that are no list': [{ alt_server_certs: {} }, /^identity\.alt_server_certs must be a list/],
  'alternatives that are no sections': [{ alt_server_certs: ['a'] }, /^identity\.alt_server_certs must be a list/],
  'too many alternatives': [{ alt_server_certs: Array.from({ length: 65 }, () => ({})) }, /has more than 64 entries/],
  'no key': [{ key: undefined }, /^identity\.key is missing$/],
  'no bundle': [{ ca: '' }, /^identity\.ca is missing$/],
}
for (const [name, [change, problem]] of Object.entries(wrong)) {
  test(`refuses ${name}`, async () => {
    const loaded = await load({ ...good, ...change })
    assert.equal(loaded.identity, undefined)
    assert.ok(
      shown(loaded).some((line) => problem.test(line)),
      shown(loaded).join('\n'),
    )
  })
}

for (const section of [undefined, null, 'text', 5, []]) {
  test(`refuses ${JSON.stringify(section)} as a section`, async () => {
    assert.match(shown(await load(section))[0]!, /^identity must be a section/)
  })
}

test('damaged, wrong and hostile certificates are refused with the reason', async () => {
  const half = good['cert']!.slice(0, 400)
  const noDer = '-----BEGIN CERTIFICATE-----\naGVsbG8=\n-----END CERTIFICATE-----\n'
  for (const [cert, reason] of [
    [half, /has no END line/],
    [noDer, /not the DER/],
    [good['key']!, /expected CERTIFICATE, found PRIVATE KEY/],
    [good['cert']!.repeat(10_000), /longer than 1048576/],
    [noDer.repeat(10_000), /more PEM blocks than allowed/],
    [`pem:${good['cert']!.repeat(600)}`, /more PEM blocks than allowed|longer than/],
  ] as const) {
    assert.match(shown(await load({ ...good, cert })).join('\n'), reason)
  }
})

test('files that are too large, endless or loops are refused without being read', async () => {
  using home = temporaryDirectory()
  writeFileSync(join(home.path, 'large'), Buffer.alloc(1024 * 1024 + 1))
  symlinkSync('loop', join(home.path, 'loop'))
  const options = { baseDirectory: home.path }
  assert.match(shown(await load({ ...good, cert: 'large' }, options))[0]!, /is larger than 1048576 bytes/)
  assert.match(shown(await load({ ...good, cert: 'loop' }, options))[0]!, /is a loop of links/)
  if (process.platform !== 'win32') {
    assert.match(shown(await load({ ...good, cert: '/dev/zero' }, options))[0]!, /is not a file/)
  }
})

test('a key of someone else is refused wherever it stands', async () => {
  const foreign = encodePrivateKey(await generatePrivateKey('P-256'))
  const pair = { server_cert: good['server_cert'], server_key: foreign }
  assert.deepEqual(
    (await load({ ...good, server_key: foreign })).problems.map(({ path }) => path),
    ['identity.server_cert'],
  )
  assert.deepEqual(
    (await load({ ...good, key: foreign })).problems.map(({ path }) => path),
    ['identity.cert', 'identity.server_cert'],
  )
  assert.deepEqual(
    (await load({ ...good, alt_server_certs: [pair] })).problems.map(({ path }) => path),
    ['identity.alt_server_certs[0].server_cert'],
  )
})

test('a problem never repeats a key', async () => {
  const secret = good['key']!.split('\n')[1]!
  for (const key of [
    good['key']!.replace('BEGIN', 'BEGUN'),
    `pem:${secret}`,
    `${secret}\n`,
    good['key']!.slice(0, -20),
  ]) {
    const loaded = await load({ ...good, key })
    assert.ok(loaded.problems.length > 0)
    assert.ok(!JSON.stringify(loaded).includes(secret.slice(0, 20)), key.slice(0, 10))
  }
})

test('the client certificate must chain to the bundle; a server certificate may come from elsewhere', async () => {
  const stranger = await makeNetwork('stranger')
  const key = encodePrivateKey(stranger.key)
  const { publicKey } = stranger
  const client = stranger.intermediate.issueClientCertificate({ subject: { commonName: 'c' }, publicKey })
  assert.match(
    shown(await load({ ...good, cert: client.chainPem, key, server_key: good['key'] }))[0]!,
    /^identity\.cert is not trusted by identity\.ca: no trusted authority/,
  )
  const server = stranger.intermediate.issueServerCertificate({
    subject: { commonName: 'c' },
    publicKey,
    hosts: ['a.example'],
  })
  const loaded = await load({ ...good, alt_server_certs: [{ server_cert: server.chainPem, server_key: key }] })
  assert.deepEqual(loaded.problems, [])
  assert.deepEqual(
    loaded.identity!.servers.map(({ certificate, chain }) => [certificate.coversHost('a.example'), chain.length]),
    [
      [false, 2],
      [true, 2],
    ],
  )
})

test('a client may hold a certificate that its bundle does not know', async () => {
  const stranger = await makeNetwork('stranger')
  const { publicKey } = stranger
  const { chainPem } = stranger.intermediate.issueClientCertificate({ subject: { commonName: 'c' }, publicKey })
  const section = { cert: chainPem, key: encodePrivateKey(stranger.key), ca: good['ca'] }
  const { identity, problems } = await load(section, { role: 'client' })
  assert.deepEqual(problems, [])
  assert.equal(identity!.client!.certPem, chainPem)
})

test('expired and not yet valid certificates are warnings, because a network may have to start with them', async () => {
  const late = await load(good, { clock: { now: () => noon + 366 * 24 * 3_600_000 } })
  assert.deepEqual([late.problems, late.warnings.length], [[], 2])
  assert.match(late.warnings[0]!.message, /expired at 2027-06-01/)
  const early = await load(good, { clock: { now: () => noon - 3_600_000 } })
  assert.deepEqual([early.problems, early.warnings.length], [[], 2])
  assert.match(early.warnings[0]!.message, /valid only from 2026-06-01T11:55/)
})

test('a key file that others can read is a warning', { skip: process.platform === 'win32' && 'no modes' }, async () => {
  using home = temporaryDirectory()
  writeFileSync(join(home.path, 'key'), good['key']!)
  chmodSync(join(home.path, 'key'), 0o640)
  const loaded = await load({ ...good, key: 'key' }, { baseDirectory: home.path })
  assert.deepEqual(loaded.problems, [])
  assert.match(loaded.warnings[0]!.message, /mode 640/)
})

test('chains are completed from the bundle, and the root is left out', async () => {
  const { root, intermediate } = network
  const leafOnly = good['cert']!.split(/(?<=END CERTIFICATE-----\n)/)[0]!
  const both = encodeCertificates([root.certificate, intermediate.certificate])
  const completed = await load({ ...good, cert: leafOnly, ca: both })
  assert.deepEqual(completed.problems, [])
  assert.equal(completed.identity!.client!.certPem, good['cert'])
  const withRoot = await load({ ...good, cert: good['cert']! + root.certificate.pem })
  assert.equal(withRoot.identity!.client!.certPem, good['cert'])
})

test('one server_cert may hold several leaves, each of which must fit the key', async () => {
  const { intermediate, publicKey } = network
  const issue = (host: string, key = publicKey) =>
    intermediate.issueServerCertificate({ subject: { commonName: 'c' }, publicKey: key, hosts: [host] }).certificate.pem
  const first = issue('a.example')
  const second = issue('b.example')
  const loaded = await load({ ...good, server_cert: first + intermediate.certificate.pem + second })
  assert.deepEqual(
    loaded.identity!.servers.map(({ certificate, chain }) => [certificate.names.dns[0], chain.length]),
    [
      ['a.example', 2],
      ['b.example', 2],
    ],
  )
  const other = issue('c.example', publicKeyOf(await generatePrivateKey('P-256')))
  assert.match(
    shown(await load({ ...good, server_cert: first + other }))[0]!,
    /^identity\.server_cert the private key does not belong/,
  )
})

test('each role needs its own keys, and the section can stand anywhere', async () => {
  const paths = async (section: unknown, options: Partial<IdentitySectionOptions>) =>
    (await load(section, options)).problems.map(({ path }) => path)
  const { cert, server_cert, key, ca } = good
  assert.deepEqual(await paths({}, { path: 'web[0].identity' }), [
    'web[0].identity.cert',
    'web[0].identity.server_cert',
    'web[0].identity.key',
    'web[0].identity.ca',
  ])
  assert.deepEqual(await paths({ server_cert, server_key: key, ca }, { role: 'listener' }), [])
  assert.deepEqual(await paths({ server_cert, ca }, { role: 'listener' }), ['identity.key'])
  assert.deepEqual(await paths({ cert, key }, { role: 'client' }), [])
  assert.deepEqual(await paths({ ca }, { role: 'client' }), ['identity.cert', 'identity.key'])
  assert.deepEqual(await paths({ ca }, { role: 'visitor' }), [])
  assert.deepEqual(await paths({ cert }, { role: 'visitor' }), ['identity.ca', 'identity.key'])
})

test('a file that holds something else is named', async () => {
  using home = temporaryDirectory()
  const at = (name: string) => join(home.path, name)
  for (const name of ['cert', 'key', 'ca']) writeFileSync(at(name), 'nothing of use', { mode: 0o600 })
  const loaded = await load({ ...good, cert: 'cert', key: 'file:key', ca: at('ca') }, { baseDirectory: home.path })
  const found = (name: string) => `identity.${name} ${at(name)}: the input is not PEM: there is no BEGIN line`
  assert.deepEqual(shown(loaded), ['ca', 'key', 'cert'].map(found))
})

test('the directory that createPki wrote loads as a section', async () => {
  using home = temporaryDirectory()
  const pki = await createPki({
    directory: home.path,
    trustDomain: 't',
    controllerId: 'c',
    hosts: ['localhost'],
    clock: noonClock,
  })
  const { files } = pki
  const section = {
    cert: files.clientChain,
    key: files.clientKey,
    server_cert: files.serverChain,
    server_key: files.serverKey,
    ca: files.caBundle,
  }
  const { identity, problems, warnings } = await load(section)
  assert.deepEqual([problems, warnings], [[], []])
  assert.equal(identity!.servers[0]!.certPem, readFileSync(files.serverChain, 'utf8'))
})

for (const [kind, newKey] of Object.entries({
  RSA: ['-newkey', 'rsa:2048'],
  EC: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
})) {
  test(`a PKI made by openssl with ${kind} keys loads as it is`, { skip: opensslMissing }, async () => {
    using home = temporaryDirectory()
    const cwd = home.path
    const run = (...args: string[]) => openssl(args, { cwd })
    const root = ['-subj', '/O=Peer/CN=root', '-addext', 'subjectAltName=URI:spiffe://peer.example', '-days', '30']
    run('req', '-x509', ...newKey, '-nodes', '-keyout', 'root.key', '-out', 'root.pem', ...root)
    const issue = (name: string, issuer: string, extensions: string) => {
      writeFileSync(join(cwd, `${name}.ext`), extensions)
      run('req', '-new', ...newKey, '-nodes', '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
      const signer = ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial']
      run(
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        ...signer,
        '-out',
        `${name}.pem`,
        '-days',
        '20',
        '-extfile',
        `${name}.ext`,
      )
    }
    issue('ca', 'root', 'basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n')
    issue('server', 'ca', 'subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1,URI:spiffe://peer.example/controller/c1\n')
    issue('client', 'ca', 'extendedKeyUsage=clientAuth\n')
    run(...(kind === 'RSA' ? ['rsa', '-traditional'] : ['ec']), '-in', 'server.key', '-out', 'traditional.key')
    assert.match(readFileSync(join(cwd, 'traditional.key'), 'utf8'), new RegExp(`BEGIN ${kind} PRIVATE KEY`))
    writeFileSync(
      join(cwd, 'chain.pem'),
      ['server', 'ca', 'root'].map((name) => readFileSync(join(cwd, `${name}.pem`), 'utf8')).join(''),
    )
    writeFileSync(join(cwd, 'cas.pem'), run('x509', '-in', 'root.pem', '-text') + run('x509', '-in', 'ca.pem', '-text'))
    const { identity, problems } = await load(
      { cert: 'client.pem', key: 'client.key', server_cert: 'chain.pem', server_key: 'traditional.key', ca: 'cas.pem' },
      { baseDirectory: cwd, clock: Date },
    )
    assert.deepEqual(problems, [])
    assert.equal(identity!.client!.chain.length, 2, 'completed from the bundle')
    assert.deepEqual(identity!.servers[0]!.certificate.names, {
      dns: ['localhost'],
      ip: ['127.0.0.1', '::1'],
      email: [],
      uri: ['spiffe://peer.example/controller/c1'],
    })
    for (const { certPem, keyPem } of [identity!.client!, ...identity!.servers])
      createSecureContext({ cert: certPem, key: keyPem })
  })
}
