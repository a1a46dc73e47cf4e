/**
 * What clients are told of the network besides services: the routers they may enter by, the controllers they may ask, and
 * the identity providers they may log in with.
 */
import { routersOfIdentity } from '@weft/model'
import { type Call, listParameters, type Operation } from '../../operation/operation.ts'
import { accessView } from '../../policies/access-view.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import type { Controller } from '../../resources/controllers.ts'
import type { ExternalJwtSigner } from '../../resources/external-jwt-signers.ts'
import type { Router } from '../../resources/router-fields.ts'
import type { View } from '../../state/view.ts'
import { baseRecord, ClientList } from './client-list.ts'
import { shownController } from './known-controllers.ts'

type Shown = Readonly<Record<string, unknown>>

export function networkListOperations({ kit }: { readonly kit: Kit }): Operation[] {
  const { view } = kit
  const routers = new ClientList<Router>(kit, 'edge-routers', shownRouter)
  const controllers = new ClientList<Controller>(kit, 'controllers', shownController)
  const signers = new ClientList<ExternalJwtSigner>(kit, 'external-jwt-signers', shownSigner)
  return [
    {
      operationId: 'getCurrentIdentityEdgeRouters',
      method: 'GET',
      path: '/current-identity/edge-routers',
      access: 'session',
      parameters: listParameters,
      handle: (call: Call) => routers.answer(call, ownRouters(view, call)),
    },
    {
      operationId: 'listControllers',
      method: 'GET',
      path: '/controllers',
      access: 'session',
      parameters: listParameters,
      handle: (call: Call) => controllers.answer(call, view.rows('controllers')),
    },
    {
      operationId: 'listExternalJwtSigners',
      method: 'GET',
      path: '/external-jwt-signers',
      access: 'anyone',
      parameters: listParameters,
      handle: (call: Call) =>
        signers.answer(
          call,
          view.rows('externalJwtSigners').filter(({ enabled }) => enabled),
        ),
    },
  ]
}

/** Administrators may enter anywhere. */
function ownRouters(view: View, { caller }: Call): Iterable<Router> {
  const routers = caller.isAdmin
    ? view.rows('routers').filter(({ kind }) => kind === 'edge')
    : [...routersOfIdentity(accessView(view), caller.identityId)].flatMap((id) => view.get('routers', id) ?? [])
  return routers.filter(({ isVerified }) => isVerified)
}

/** The peers leave cost and traversal to sessions. */
function shownRouter(record: Shown, { reportedVersion }: Router): Shown {
  const { name, isOnline, syncStatus, supportedProtocols, capabilities, versionInfo } = record
  return {
    ...baseRecord(record),
    _links: enteringLinks(record['_links'] as Shown),
    name,
    isOnline,
    syncStatus,
    supportedProtocols,
    capabilities,
    hostname: '',
    cost: null,
    disabled: null,
    noTraversal: null,
    version: (versionInfo as { readonly version: string }).version || (reportedVersion ?? ''),
  }
}

function enteringLinks(links: Shown): Shown {
  return { self: links['self'], 'edge-router-policies': links['edge-router-policies'] }
}

/** Enough to log in with a provider, and nothing of how its tokens are checked. */
function shownSigner(record: Shown, signer: ExternalJwtSigner): Shown {
  const { name, audience, externalAuthUrl, scopes, targetToken } = record
  return {
    ...baseRecord(record),
    name,
    audience,
    externalAuthUrl,
    scopes,
    targetToken,
    ...(signer.clientId && { clientId: signer.clientId }),
    ...(signer.enrollToCertEnabled && { enrollToCertEnabled: true }),
    ...(signer.enrollToTokenEnabled && { enrollToTokenEnabled: true }),
  }
}
