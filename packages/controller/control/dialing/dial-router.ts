/**
 * Makes the control channel of a router that is dialled. Its hello says what the answer to a router says, and its answer
 * what the hello of a router says; from then on it makes no difference who has dialled.
 *
 * Who answers is judged by its leaf: it must chain to the network's authorities, and have the key with which the router
 * that is meant has enrolled. A router listens with another certificate than it dials with, but with one key. Of a router
 * that was made by its fingerprint the key is not known: it has to listen with the certificate that it dials with.
 */
import { Certificate, type Identity, PkiError, parseLeafCertificate, publicKeyPrint } from '@weft/pki'
import {
  type Channel,
  type ChannelPlan,
  type Connection,
  dialChannel,
  type Headers,
  HelloRefusal,
  parseAddress,
  type Surroundings,
} from '@weft/wire'
import type { NetworkAuthorities } from '../../auth/certificate-trust.ts'
import type { ConnectedRouters } from '../../fabric/connected-routers.ts'
import type { TableRows } from '../../state/row.ts'
import type { View } from '../../state/view.ts'
import type { LeafTrust } from '../leaf-trust.ts'

export interface RouterDialDeps {
  readonly view: View
  readonly routers: Pick<ConnectedRouters, 'isOnline'>
  readonly trust: Pick<LeafTrust, 'check'>
  readonly network: () => NetworkAuthorities
  /** Asked for each dial: certificates are renewed. */
  readonly identity: () => Identity
  readonly plan: ChannelPlan
  readonly hello: () => { readonly id: string; readonly headers: Headers }
  /** Puts the channel to use, before anything is read. */
  readonly bind: (channel: Channel, routerId: string) => void
  readonly surroundings: Partial<Surroundings>
}

export interface RouterDial {
  readonly routerId: string
  /** As the router advertises it. */
  readonly address: string
  readonly signal: AbortSignal
  /** Milliseconds; as usual when absent. */
  readonly timeoutMilliseconds?: number
}

const PROTOCOLS = ['ziti-ctrl']

/** Rejects when nobody answers, somebody else does, or the router has connected meanwhile. */
export async function dialRouter(deps: RouterDialDeps, { routerId, ...dial }: RouterDial): Promise<void> {
  const { view, routers, network, identity, plan, hello } = deps
  const address = parseAddress(dial.address)
  if (address.type !== 'tls') throw new HelloRefusal(`routers are dialled over tls, not ${address.type}`)
  await dialChannel(
    {
      ...dial,
      address,
      name: `ctrl ${routerId}`,
      plan,
      protocols: PROTOCOLS,
      tls: material(identity(), network()),
      expectedPeerId: routerId,
      hello,
      // The one connection is all there is: neither side adds another to it.
      group: { type: 'ctrl.default', desired: {} },
      check: ({ connection }) => checkRouter(deps, routerId, connection),
      bind(channel) {
        // While the dial was under way it may have come by itself, or been disabled.
        meantRouter(view, routerId)
        if (routers.isOnline(routerId)) throw new HelloRefusal(`router ${routerId} has connected meanwhile`)
        deps.bind(channel, routerId)
      },
    },
    deps.surroundings,
  )
}

function material({ client }: Identity, { roots, intermediates }: NetworkAuthorities) {
  const caPem = [...roots, ...intermediates].map(({ pem }) => pem).join('\n')
  return { caPem, ...(client === undefined ? {} : { client: { certPem: client.certPem, keyPem: client.keyPem } }) }
}

function meantRouter(view: View, routerId: string): TableRows['routers'] {
  const router = view.get('routers', routerId)
  if (router === undefined) throw new HelloRefusal(`there is no router ${routerId}`)
  if (router.fingerprint === null) throw new HelloRefusal(`router ${routerId} has not enrolled`)
  if (router.disabled) throw new HelloRefusal(`router ${routerId} is disabled`)
  return router
}

function checkRouter({ view, trust }: RouterDialDeps, routerId: string, connection: Connection): void {
  const [leaf, ...sent] = connection.certificates
  if (leaf === undefined) throw new HelloRefusal('no certificate')
  trust.check(leaf, sent)
  const { certPem, fingerprint } = meantRouter(view, routerId)
  const isMeant =
    certPem === null
      ? connection.fingerprint === fingerprint?.toLowerCase()
      : keyOf(() => Certificate.fromDer(leaf)) === keyOf(() => parseLeafCertificate(certPem))
  if (!isMeant) throw new HelloRefusal(`who answers is not router ${routerId}: it has another key`)
}

function keyOf(read: () => Certificate): string {
  try {
    return publicKeyPrint(read().publicKey)
  } catch (error) {
    if (!(error instanceof PkiError)) throw error
    throw new HelloRefusal('a certificate cannot be read')
  }
}
