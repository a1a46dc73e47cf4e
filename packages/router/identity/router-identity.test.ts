import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { assembleIdentity } from '@weft/model/config-sections'
import {
  CertificateAuthority,
  type EnrolledRouter,
  generatePrivateKey,
  publicKeyOf,
  type RouterFiles,
  writeRouterIdentity,
} from '@weft/pki'
import { loadRouterConfig } from '../config/load-router-config.ts'
import { findUncoveredHosts, UncoveredHostsError } from './advertised-hosts.ts'
import { RouterIdentity, RouterIdentityError } from './router-identity.ts'

const limits = { timeout: 20_000 }
const folder = mkdtempSync(join(tmpdir(), 'weft-router-identity-'))
after(() => rmSync(folder, { recursive: true }))
const root = await CertificateAuthority.createRoot({ subject: { commonName: 'root' } }, { clock: Date })
const key = await generatePrivateKey('P-256')

async function write(name: string, routerId: string, hosts: readonly string[]): Promise<RouterFiles> {
  const issue = { subject: { commonName: routerId }, publicKey: publicKeyOf(key) }
  const client = root.issueClientCertificate(issue)
  const server = root.issueServerCertificate({ ...issue, hosts })
  const router: EnrolledRouter = {
    routerId,
    key,
    clientChain: [client.certificate],
    serverChain: [server.certificate],
    authorities: [root.certificate],
    controllerAddresses: [],
  }
  const at = (ending: string) => join(folder, `${name}.${ending}`)
  const files = { key: at('key'), cert: at('cert'), serverCert: at('server.cert'), ca: at('cas') }
  await writeRouterIdentity(files, router)
  return files
}

function logged() {
  const lines: string[] = []
  const add = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields ?? {})}`)
  return { lines, log: { info: add, warn: add, error: add } }
}

function load({ key, cert, serverCert, ca }: RouterFiles, log = logged().log) {
  const section = assembleIdentity({ cert, key, ca, serverCert, serverKey: undefined, altServerCerts: undefined })
  return RouterIdentity.load({ clock: Date, log }, { section, baseDirectory: folder, debounce: 10 })
}

test('the id is the common name, and renewed files serve', limits, async () => {
  const files = await write('renewed', 'r-1', ['a.example.net'])
  const { log, lines } = logged()
  await using identity = await load(files, log)
  assert.equal(identity.routerId, 'r-1')
  const heard: string[] = []
  const listening = identity.onChange(({ servers }) => void heard.push(servers[0]!.certificate.names.dns.join()))
  await write('renewed', 'r-1', ['b.example.net'])
  assert.equal(
    await identity.reload().then(() => identity.current.servers[0]!.certificate.names.dns.join()),
    'b.example.net',
  )
  assert.deepEqual(heard.at(-1), 'b.example.net')
  await writeFile(files.cert, 'broken')
  assert.equal(await identity.reload(), 'refused')
  assert.match(lines.at(-1)!, /renewed certificates refused .*identity\.cert/)
  assert.equal(identity.current.servers[0]!.certificate.names.dns.join(), 'b.example.net')
  await write('renewed', 'r-2', ['c.example.net'])
  assert.equal(await identity.reload(), 'refused', 'the certificate of another router')
  assert.match(lines.at(-1)!, /is that of r-2, and this is r-1/)
  assert.equal(identity.current.client!.certificate.commonName, 'r-1')
  listening[Symbol.dispose]()
})

test('everything that is wrong is told at once', limits, async () => {
  const files = {
    key: join(folder, 'no.key'),
    cert: join(folder, 'no.cert'),
    serverCert: join(folder, 'no.server'),
    ca: join(folder, 'no.ca'),
  }
  await assert.rejects(load(files), (error: unknown) => {
    assert.ok(error instanceof RouterIdentityError)
    assert.deepEqual(error.problems.map(({ path }) => path).sort(), [
      'identity.ca',
      'identity.cert',
      'identity.key',
      'identity.server_cert',
    ])
    return true
  })
})

test('hosts that no certificate covers are found, IPv6 addresses among them', limits, async () => {
  const files = await write('hosts', 'r-1', ['a.example.net', '*.wild.example.net', '192.0.2.1', '2001:db8::1'])
  await using identity = await load(files)
  const uncovered = (host: string) => {
    const text = `v: 3
identity: { cert: a, key: b, ca: c }
ctrl: {}
edge: {}
link: { listeners: [{ bind: "tls:0.0.0.0:1", advertise: "tls:${host}:1" }, { bind: "tls:0.0.0.0:2", advertise: "tcp:any:1" }] }
listeners: [{ binding: edge, address: "tls:0.0.0.0:1", options: { advertise: "${host}:1" } }, { binding: tunnel }]
`
    return findUncoveredHosts(loadRouterConfig({ fileName: 'r.yml', text }, {}, {}).config, identity.current)
  }
  for (const host of ['a.example.net', 'b.wild.example.net', '192.0.2.1', '[2001:db8::1]']) {
    assert.deepEqual(uncovered(host), [], host)
  }
  for (const host of ['r-1', 'wild.example.net', '192.0.2.2', '[2001:db8::2]']) {
    assert.deepEqual(
      uncovered(host).map(({ path }) => path),
      ['link.listeners[0].advertise', 'listeners[0].options.advertise'],
      host,
    )
  }
  const { message } = new UncoveredHostsError(uncovered('elsewhere'))
  assert.match(message, /^link\.listeners\[0\]\.advertise: no server certificate covers elsewhere$/m)
})
