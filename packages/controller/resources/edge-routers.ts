/**
 * Edge routers: the routers that SDKs and tunnelers connect to.
 */
import { policiesSelecting, related } from '@weft/model'
import { empty } from '../operation/envelope.ts'
import { accessView } from '../policies/access-view.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import type { InvitationSigner } from './enrollment-issuing.ts'
import { narrowByRoles, roleFilterParameters } from './role-filter.ts'
import { capabilityNames } from './router-capabilities.ts'
import { invitationMembers, inviteNewRouters, inviteRouter } from './router-enrollment.ts'
import { type Router, routerConfigsFit, routerFields } from './router-fields.ts'
import type { RouterPresence, RouterVersion } from './router-presence.ts'
import { keepTunnelerIdentity } from './tunneler-identity.ts'

export interface RouterDeps {
  readonly invitations: InvitationSigner
  readonly routerPresence: RouterPresence
}

const unknownVersion: RouterVersion = { version: '', revision: '', buildDate: '', os: '', arch: '' }

export function edgeRouters({ invitations, routerPresence }: RouterDeps): Resource {
  const connected = ({ id }: Pick<Router, 'id'>) => routerPresence.connected(id)
  const isConnected = (router: Pick<Router, 'id'>) => connected(router) !== undefined
  return defineResource({
    collection: 'edge-routers',
    singular: 'router',
    bodyName: 'edgeRouter',
    table: 'routers',
    permission: 'router',
    idKind: 'short',
    operationIds: {
      list: 'listEdgeRouters',
      create: 'createEdgeRouter',
      detail: 'detailEdgeRouter',
      update: 'updateEdgeRouter',
      patch: 'patchEdgeRouter',
      delete: 'deleteEdgeRouter',
    },
    fields: routerFields,
    initial: { kind: 'edge' },
    includes: ({ kind }) => kind === 'edge',
    rules: [routerConfigsFit],
    follow: [keepTunnelerIdentity, inviteNewRouters(invitations, 'edge')],
    narrow: narrowByRoles('edgeRouters'),
    listParameters: roleFilterParameters,
    live: {
      isOnline: isConnected,
      hostname: (router) => connected(router)?.hostname ?? '',
      supportedProtocols: (router) => connected(router)?.supportedProtocols ?? {},
      syncStatus: (router) => connected(router)?.syncStatus ?? 'SYNC_UNKNOWN',
      versionInfo: (router) => connected(router)?.versionInfo ?? unknownVersion,
      capabilities: ({ capabilitiesMask: mask }) => (mask === null ? null : capabilityNames(mask)),
      capabilitiesMask: ({ capabilitiesMask: mask }) => (mask === null ? undefined : JSON.rawJSON(mask)),
      ...invitationMembers('edge'),
    },
    symbols: {
      connected: { type: 'bool', value: isConnected, isSortable: true },
      online: { type: 'bool', value: isConnected, isSortable: true },
    },
    sublists: {
      'edge-router-policies': {
        of: 'edge-router-policies',
        ids: (id, view) =>
          policiesSelecting(accessView(view), 'edgeRouterPolicies', 'edgeRouters', id).map((row) => row.id),
        operationId: 'listEdgeRouterEdgeRouterPolicies',
        isLinked: true,
      },
      'service-edge-router-policies': {
        of: 'service-edge-router-policies',
        ids: (id, view) =>
          policiesSelecting(accessView(view), 'serviceEdgeRouterPolicies', 'edgeRouters', id).map((row) => row.id),
        operationId: 'listEdgeRouterServiceEdgeRouterPolicies',
      },
      identities: {
        of: 'identities',
        ids: (id, view) => related(accessView(view), 'edgeRouterPolicies', 'edgeRouters', id, 'identities'),
        operationId: 'listEdgeRouterIdentities',
      },
      services: {
        of: 'services',
        ids: (id, view) => related(accessView(view), 'serviceEdgeRouterPolicies', 'edgeRouters', id, 'services'),
        operationId: 'listEdgeRouterServices',
      },
    },
    actions: [
      {
        method: 'POST',
        path: '/{id}/re-enroll',
        operationId: 'reEnrollEdgeRouter',
        needs: 'update',
        async run(_call, kit) {
          await kit.write((change) => reEnroll(change, invitations, kit.row(change.view).id))
          return empty
        },
      },
    ],
  })
}

/** Back to the start: what it enrolled with is forgotten, and a new invitation takes the place of any other. */
function reEnroll(change: Change, invitations: InvitationSigner, id: string): void {
  for (const open of [...change.view.find('enrollments', 'edgeRouterId', id)]) change.remove('enrollments', open.id)
  const forgotten = { fingerprint: null, certPem: null, unverifiedFingerprint: null, unverifiedCertPem: null }
  change.update('routers', id, { isVerified: false, ...forgotten })
  inviteRouter(change, invitations, 'edge', id)
}
