/** Whether routers have the links that the controller knows, and no others. */
import type { ManagementMessageInit, ValidatedLinkState } from '@weft/wire/messages'
import type { Link, LinkConnection } from '../../fabric/link.ts'
import type { Links } from '../../fabric/links.ts'
import { inspectJson } from '../inspection/inspect-router.ts'
import { ANSWER_LIMIT, ofRouters, type RouterRow, type Validation, type ValidationDeps } from './validation.ts'

export type LinksResult = ManagementMessageInit<'linksResult'>['body']
type LinkDetail = NonNullable<LinksResult['details']>[number]

/** A link as a router describes it. */
interface InspectedLink {
  readonly id: string
  readonly dest: string
  readonly dialed: boolean
  readonly connStateIteration?: number
  readonly connections?: readonly { readonly Type: string; readonly Source: string; readonly Dest: string }[] | null
}

const ESTABLISHED: ValidatedLinkState = 'LinkEstablished'
const UNKNOWN: ValidatedLinkState = 'LinkUnknown'

export function validateLinks(
  deps: ValidationDeps & { readonly links: Links },
  filter: string,
): Promise<Validation<LinksResult>> {
  return ofRouters<LinksResult>(deps, filter, {
    async connected(router, connection, signal) {
      const answer = await inspectJson(connection, 'links', { timeoutMilliseconds: ANSWER_LIMIT, signal })
      const { links } = answer as { readonly links?: readonly InspectedLink[] | null }
      return { ...head(router), validateSuccess: true, details: [...details(deps, router.id, links ?? [])] }
    },
    failed: (router, { message }) => ({ ...head(router), validateSuccess: false, message }),
  })
}

function head({ id: routerId, name: routerName }: RouterRow) {
  return { routerId, routerName }
}

function* details(
  { links, routers }: ValidationDeps & { readonly links: Links },
  routerId: string,
  inspected: readonly InspectedLink[],
): Generator<LinkDetail> {
  const unseen = new Map(links.ofRouter(routerId).map((link) => [link.id, link]))
  for (const found of inspected) {
    const known = unseen.get(found.id)
    unseen.delete(found.id)
    const destConnected = routers.isOnline(found.dest)
    // The other end describes the same connections the other way round, so only the dialer's are compared.
    const messages = known !== undefined && found.dialed ? differences(known, found) : []
    yield {
      linkId: found.id,
      ctrlState: known === undefined ? UNKNOWN : ESTABLISHED,
      routerState: ESTABLISHED,
      destConnected,
      isValid: known === undefined ? !destConnected : destConnected && messages.length === 0,
      destRouterId: found.dest,
      dialed: found.dialed,
      messages,
    }
  }
  for (const link of unseen.values()) {
    const destRouterId = link.otherEnd(routerId)
    yield {
      linkId: link.id,
      ctrlState: ESTABLISHED,
      routerState: UNKNOWN,
      destConnected: routers.isOnline(destRouterId),
      isValid: false,
      destRouterId,
      dialed: link.sourceRouterId === routerId,
    }
  }
}

/** States of another iteration are on their way; they are no difference. */
function differences(known: Link, found: InspectedLink): string[] {
  if (known.connState?.stateIteration !== found.connStateIteration) return []
  const here = known.connections.map(described).sort()
  const there = (found.connections ?? [])
    .map(({ Type, Source, Dest }) => described({ type: Type, localAddr: Source, remoteAddr: Dest }))
    .sort()
  if (here.join('\n') === there.join('\n')) return []
  return [`connections differ, controller: ${here.join(', ')}; router: ${there.join(', ')}`]
}

function described({ type, localAddr, remoteAddr }: LinkConnection): string {
  return `${type} ${localAddr} -> ${remoteAddr}`
}
