/**
 * Transit routers: routers that only carry what others send.
 *
 * The collection shows every router there is, but changes only those that were made here. What a transit router costs is
 * said when it is made and not changed later, and it is never disabled here: the peers behave so, and clients rely on it.
 */
import { ApiError } from '../operation/api-error.ts'
import { restricted } from '../resource-kit/fields.ts'
import { defineResource, type Resource } from '../resource-kit/resource.ts'
import type { RouterDeps } from './edge-routers.ts'
import { invitationMembers, inviteNewRouters } from './router-enrollment.ts'
import { routerConfigsFit, routerFields } from './router-fields.ts'

const { name, kind, ctrlChanListeners, configs, unverifiedFingerprint, unverifiedCertPem, interfaces } = routerFields

const fields = {
  name,
  kind,
  cost: restricted(routerFields.cost, { setBy: 'creator' }),
  noTraversal: restricted(routerFields.noTraversal, { setBy: 'creator' }),
  disabled: restricted(routerFields.disabled, { setBy: 'server' }),
  ctrlChanListeners,
  configs,
  isVerified: restricted(routerFields.isVerified, { symbol: undefined }),
  fingerprint: restricted(routerFields.fingerprint, { shown: 'always' }),
  unverifiedFingerprint,
  unverifiedCertPem,
  interfaces,
}

export function transitRouters({ invitations, routerPresence }: RouterDeps): Resource {
  return defineResource({
    collection: 'transit-routers',
    singular: 'router',
    table: 'routers',
    permission: 'router',
    idKind: 'short',
    operationIds: {
      list: 'listTransitRouters',
      create: 'createTransitRouter',
      detail: 'detailTransitRouter',
      update: 'updateTransitRouter',
      patch: 'patchTransitRouter',
      delete: 'deleteTransitRouter',
    },
    fields,
    initial: { kind: 'transit' },
    rules: [routerConfigsFit],
    follow: [inviteNewRouters(invitations, 'transit')],
    guard(_caller, action, before) {
      if (action === 'update' && before?.kind !== 'transit') throw new ApiError('CAN_NOT_UPDATE_ROUTER')
    },
    live: {
      isOnline: ({ id }) => routerPresence.connected(id) !== undefined,
      isVerified: (router) => router.kind !== 'transit' || router.isVerified,
      ...invitationMembers('transit'),
    },
  })
}
