/** The links of a router over real TLS, with certificates of a test network and a controller that the test plays. */
import { CertificateAuthority, encodeCertificates, generatePrivateKey, type Identity, publicKeyOf } from '@weft/pki'
import type { LinkConfig } from '../config/link-config.ts'
import { LinkLayer } from '../link/link-layer.ts'
import { MetricsRegistry } from '../metrics/registry.ts'
import { TlsPorts } from '../transport/tls-ports.ts'
import { WorkerPool } from '../work/worker-pool.ts'
import { testDialer } from './two-registries.ts'

export interface TestRouterLinksOptions {
  readonly identity?: Identity
  /** The protocol that its listener is for. */
  readonly protocol?: string
  readonly dialer?: Partial<LinkConfig['dialers'][number]>
  readonly listenerOptions?: Partial<LinkConfig['listeners'][number]['options']>
  readonly heartbeats?: LinkConfig['heartbeats']
  /** What a controller says of those who dial. */
  readonly verifyRouter?: (routerId: string, fingerprint: string) => Promise<void>
}

export interface TestRouterLinks extends AsyncDisposable {
  readonly routerId: string
  readonly identity: Identity
  readonly links: LinkLayer
  readonly metrics: MetricsRegistry
  readonly port: number
  /** Tells it of another router. */
  hearsOf(other: Pick<TestRouterLinks, 'routerId' | 'port'>, version?: string): void
}

const log = { debug() {}, info() {}, warn() {}, error() {} }
const clock = { now: () => Date.now(), monotonic: () => performance.now() }
export const testRoot = await CertificateAuthority.createRoot({ subject: { commonName: 'root' } }, { clock: Date })

export async function testIdentity(routerId: string, authority: CertificateAuthority = testRoot): Promise<Identity> {
  const key = await generatePrivateKey('P-256')
  const request = { subject: { commonName: routerId }, publicKey: publicKeyOf(key) }
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }) as string
  const keyed = ({ certificate, chainPem }: ReturnType<CertificateAuthority['issueClientCertificate']>) => ({
    ...{ certificate, key, keyPem },
    chain: [certificate],
    certPem: chainPem,
  })
  return {
    client: keyed(authority.issueClientCertificate(request)),
    servers: [keyed(authority.issueServerCertificate({ ...request, hosts: ['127.0.0.1', 'localhost'] }))],
    caBundle: [testRoot.certificate],
    caPem: encodeCertificates([testRoot.certificate]),
    files: [],
  }
}

export async function testRouterLinks(
  routerId: string,
  options: TestRouterLinksOptions = {},
): Promise<TestRouterLinks> {
  const parts = new AsyncDisposableStack()
  const identity = options.identity ?? (await testIdentity(routerId))
  const { verifyRouter = async () => {}, dialer, listenerOptions, protocol = 'tls' } = options
  const monotonic = () => performance.now()
  const metrics = new MetricsRegistry({ monotonic, random: Math.random })
  const ports = parts.use(new TlsPorts({ identity: () => identity, log }, { handshakeTimeout: 5_000 }))
  const pool = parts.use(new WorkerPool({ metrics, monotonic, log }, { name: 'links', queueLength: 10, workers: 4 }))
  const address = { host: '127.0.0.1', port: 0, protocol, text: `${protocol}:127.0.0.1:0` }
  const config: LinkConfig = {
    listeners: [
      {
        ...{ bind: address, advertise: address, bindInterface: '', groups: ['default'] },
        options: { ...testDialer.options, maxQueuedConnects: 1, maxOutstandingConnects: 16, ...listenerOptions },
      },
    ],
    dialers: [{ ...testDialer, ...dialer }],
    heartbeats: options.heartbeats ?? { sendInterval: 50, checkInterval: 20, closeUnresponsiveTimeout: 60_000 },
    payloadSenderQueueSize: 128,
    ackSenderQueueSize: 64,
  }
  const surroundings = { clock, log, randomBytes: (size: number) => crypto.getRandomValues(Buffer.alloc(size)) }
  const deps = { routerId, identity: () => identity, ports, pool, metrics, surroundings, proxy: undefined }
  const links = parts.use(
    await LinkLayer.open({ ...deps, random: Math.random, verifyRouter }, { config, latencyProbeInterval: undefined }),
  )
  const { port } = parts.use(await ports.use(address)).port.address
  return {
    ...{ routerId, identity, links, metrics, port },
    hearsOf(other, version = 'v2.1.0') {
      const at = `tls:127.0.0.1:${other.port}`
      const listeners = [{ address: at, protocol: 'tls', groups: ['default'], localBinding: '' }]
      links.registry.applyPeerState({ id: other.routerId, version, state: 'Healthy', listeners })
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  }
}
