/** A controller runs from a PKI that openssl has made, as it is, and identities enroll there. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { connect } from 'node:tls'
import { loadIdentityFile } from '@weft/pki'
import { openssl, opensslMissing } from '../packages/pki/testing/openssl.ts'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { initialised } from './kit/initialised.ts'
import { enrolledInto } from './kit/invitations.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'
import { weftRefuses } from './kit/weft-command.ts'

const limits = { timeout: 90_000, skip: opensslMissing }
const newKey = {
  'P-256': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'],
  'P-384': ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
  RSA: ['-newkey', 'rsa:2048'],
} as const
type Kind = keyof typeof newKey

/** The steps an operator takes by hand; every file lies in one folder. */
class OpensslPki {
  readonly folder: string

  constructor(folder: string) {
    this.folder = folder
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  run(...args: string[]): string {
    return openssl(args, { cwd: this.folder })
  }

  root(kind: Kind, ...extensions: string[]): void {
    const added = extensions.flatMap((extension) => ['-addext', extension])
    const made = ['-keyout', 'root.key', '-out', 'root.pem', '-days', '30', '-subj', '/O=Example/CN=root']
    this.run('req', '-x509', ...newKey[kind], '-nodes', ...made, ...added)
  }

  async issue(name: string, issuer: string, kind: Kind, ...extensions: string[]): Promise<void> {
    await writeFile(this.path(`${name}.ext`), `${extensions.join('\n')}\n`)
    const asked = ['-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/O=Example/CN=${name}`]
    this.run('req', '-new', ...newKey[kind], '-nodes', ...asked)
    const signer = ['-CA', `${issuer}.pem`, '-CAkey', `${issuer}.key`, '-CAcreateserial', '-days', '20']
    this.run('x509', '-req', '-in', `${name}.csr`, ...signer, '-out', `${name}.pem`, '-extfile', `${name}.ext`)
  }

  /** The key in the form that older tools write. */
  async traditional(name: string, kind: 'EC' | 'RSA'): Promise<string> {
    const file = `${name}.traditional.key`
    this.run(...(kind === 'RSA' ? ['rsa', '-traditional'] : ['ec']), '-in', `${name}.key`, '-out', file)
    assert.match(await readFile(this.path(file), 'utf8'), new RegExp(`BEGIN ${kind} PRIVATE KEY`))
    return this.path(file)
  }

  async joined(file: string, ...names: string[]): Promise<string> {
    const parts = await Promise.all(names.map((name) => readFile(this.path(`${name}.pem`), 'utf8')))
    await writeFile(this.path(file), parts.join(''))
    return this.path(file)
  }
}

const authority = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign']
const localhost = 'subjectAltName=DNS:localhost,IP:127.0.0.1'

async function presented({ port, ca }: ControllerProcess, servername: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, ca, servername })
  await once(socket, 'secureConnect')
  const { subject } = socket.getPeerX509Certificate()!
  socket.destroy()
  return /CN=(.*)/.exec(subject)![1]!
}

test('elliptic keys, chains in either file, and a further server certificate of another kind', limits, async () => {
  await using folder = await temporaryFolder('openssl')
  const pki = new OpensslPki(folder.path)
  pki.root('P-384', 'subjectAltName=URI:spiffe://ec.example')
  await pki.issue('signer', 'root', 'P-256', ...authority)
  await pki.issue('server', 'signer', 'P-256', `${localhost},URI:spiffe://ec.example/controller/c1`)
  await pki.issue('client', 'signer', 'P-384', 'extendedKeyUsage=clientAuth')
  await pki.issue('public', 'signer', 'RSA', 'subjectAltName=DNS:ctrl.example', 'extendedKeyUsage=serverAuth')
  const certificates = {
    identity: {
      cert: pki.path('client.pem'),
      key: pki.path('client.key'),
      server_cert: await pki.joined('server.chain', 'server', 'signer'),
      server_key: `file://${await pki.traditional('server', 'EC')}`,
      // The chain of "client" is completed from here.
      ca: await pki.joined('cas', 'root', 'signer'),
      alt_server_certs: [
        {
          server_cert: await pki.joined('public.chain', 'public', 'signer', 'root'),
          server_key: await pki.traditional('public', 'RSA'),
        },
      ],
    },
    signingCert: { cert: pki.path('signer.pem'), key: `pem:${await readFile(pki.path('signer.key'), 'utf8')}` },
    ca: await readFile(pki.path('root.pem'), 'utf8'),
  }
  const configuration = await initialised(folder.path, { certificates })
  await using controller = await ControllerProcess.run(configuration)
  assert.equal(await presented(controller, 'localhost'), 'server')
  assert.equal(await presented(controller, 'ctrl.example'), 'public')
  await enrolls(controller, pki.path('alice.json'), /^spiffe:\/\/ec\.example\/identity\//)
})

test('RSA keys throughout, a root in the chain, and no trust domain in sight', limits, async () => {
  await using folder = await temporaryFolder('openssl')
  const pki = new OpensslPki(folder.path)
  pki.root('RSA')
  await pki.issue('signer', 'root', 'RSA', ...authority)
  await pki.issue('server', 'signer', 'RSA', localhost)
  await pki.issue('client', 'signer', 'RSA')
  const identity = {
    cert: await pki.joined('client.chain', 'client', 'signer', 'root'),
    key: await pki.traditional('client', 'RSA'),
    server_cert: await pki.joined('server.chain', 'server', 'signer', 'root'),
    server_key: pki.path('server.key'),
    ca: pki.path('root.pem'),
  }
  const signingCert = { cert: pki.path('signer.pem'), key: pki.path('signer.key') }
  const ca = await readFile(pki.path('root.pem'), 'utf8')
  const configuration = await initialised(folder.path, { certificates: { identity, signingCert, ca } })
  await using controller = await ControllerProcess.run(configuration)
  await enrolls(controller, pki.path('alice.json'), /^spiffe:\/\/[0-9a-f]{40}\/identity\//)

  await writeFile(pki.path('server.key'), 'not a key')
  const broken = await weftRefuses('controller', 'run', configuration.file)
  assert.match(broken, /identity\.server_key +\S+server\.key: the input is not PEM/)
})

async function enrolls(controller: ControllerProcess, file: string, spiffeId: RegExp): Promise<void> {
  using api = await ApiClient.login(controller)
  await enrolledInto(file, api, 'alice')
  const { identity, problems } = await loadIdentityFile(file, { clock: Date })
  assert.deepEqual(problems, [])
  assert.match(identity!.client!.certificate.names.uri[0]!, spiffeId)
}
