/** A controller's configuration file, with the certificates it names, written by hand as an operator would. */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { systemClock } from '@weft/controller'
import { createPki } from '@weft/pki'
import { freePort } from './free-port.ts'

export interface Configuration {
  readonly file: string
  readonly home: string
  readonly database: string
  readonly port: number
  readonly url: string
  readonly ca: string
}

export interface ConfigurationOptions {
  readonly port?: number
  /** The host that clients are told, and what is listened on unless `interface` says otherwise. */
  readonly host?: string
  readonly interface?: string
  /** More bind points, as lines of YAML. */
  readonly bindPoints?: string
  /** Options of the web server, as YAML in one line. */
  readonly webOptions?: string
  /** Options of the metrics binding, as YAML in one line. */
  readonly metrics?: string
  /** More APIs, by their bindings. */
  readonly bindings?: readonly string[]
  /** More of the section `ctrl`, as YAML in one line for each key. */
  readonly ctrl?: Readonly<Record<string, unknown>>
  /** More of the section `edge`, likewise. */
  readonly edge?: Readonly<Record<string, unknown>>
  /** More sections, as YAML. */
  readonly sections?: string
  /** In place of a PKI that is made for it. */
  readonly certificates?: Certificates
}

/** What a configuration says of certificates that somebody else has made. */
export interface Certificates {
  readonly identity: Readonly<Record<string, unknown>>
  readonly signingCert: Readonly<Record<string, unknown>>
  /** PEM by which the controller is trusted. */
  readonly ca: string
}

export async function writeConfiguration(home: string, options: ConfigurationOptions = {}): Promise<Configuration> {
  const {
    host = '127.0.0.1',
    bindPoints = '',
    webOptions = '{}',
    metrics = '{}',
    sections = '',
    ctrl = {},
    edge = {},
    bindings = [],
  } = options
  const port = options.port ?? (await freePort())
  await mkdir(home, { recursive: true })
  const { identity, signingCert, ca } = options.certificates ?? (await ownCertificates(home))
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const file = join(home, 'controller.yml')
  const database = join(home, 'controller.db')
  const text = `v: 3
db: ${database}
identity:
${lines(identity, '  ')}
ctrl:
  listener: "tls:${address}"
${lines(ctrl, '  ')}
edge:
  api:
    address: "${address}"
  enrollment:
    signingCert:
${lines(signingCert, '      ')}
${lines(edge, '  ')}
web:
  - name: api
    bindPoints:
      - interface: "${options.interface ?? address}"
        address: "${address}"
${bindPoints}
    options: ${webOptions}
    apis:
      - binding: edge-management
      - binding: edge-client
      - binding: health-checks
      - binding: metrics
        options: ${metrics}
${bindings.map((binding) => `      - binding: ${binding}`).join('\n')}
${sections}
`
  await writeFile(file, text)
  return { file, home, database, port, url: `https://${address}`, ca }
}

async function ownCertificates(home: string): Promise<Certificates> {
  const { files, caBundlePem: ca } = await createPki({
    directory: join(home, 'pki'),
    trustDomain: 'weft-test',
    controllerId: 'controller',
    hosts: ['localhost', '127.0.0.1', '::1'],
    clock: systemClock,
  })
  const identity = {
    cert: files.clientChain,
    key: files.clientKey,
    server_cert: files.serverChain,
    server_key: files.serverKey,
    ca: files.caBundle,
  }
  return { identity, signingCert: { cert: files.intermediateCert, key: files.intermediateKey }, ca }
}

/** Values are written as JSON, which is YAML too. */
function lines(section: Readonly<Record<string, unknown>>, indent: string): string {
  return Object.entries(section)
    .map(([key, value]) => `${indent}${key}: ${JSON.stringify(value)}`)
    .join('\n')
}
