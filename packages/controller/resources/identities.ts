/**
 * Identities: who can log in, dial and host.
 *
 * Whoever is not an administrator gains nothing from an operation on one: the guard stands before every write to an
 * administrator, whichever verb or action it comes by, and an administrator's open enrollments are not shown.
 */

import { isDisabled } from '../auth/disabled.ts'
import { revokeIdentity } from '../auth/revoke-identity.ts'
import { ApiError, fieldError, refusal } from '../operation/api-error.ts'
import type { Caller } from '../operation/caller.ts'
import { assignableGrants } from '../operation/permissions.ts'
import type { Change } from '../resource-kit/change.ts'
import {
  defineFields,
  flag,
  integer,
  json,
  listOf,
  mapByReference,
  oneOf,
  optionalText,
  type RowOf,
  reference,
  references,
  roleAttributes,
  serverSet,
  time,
  uniqueName,
} from '../resource-kit/fields.ts'
import { defineResource, type Rendering, type Resource } from '../resource-kit/resource.ts'
import { anythingShape, integerShape, type Shape, textShape } from '../resource-kit/shapes.ts'
import { defaultAuthPolicyId } from './auth-policies.ts'
import type { InvitationSigner } from './enrollment-issuing.ts'
import { type IdentityActionDeps, identityActions } from './identity-actions.ts'
import { createFirstEnrollment, firstEnrollment } from './identity-enrollment.ts'
import { overridingConfigs, type ServiceConfigs } from './identity-service-configs.ts'
import { identitySublists } from './identity-sublists.ts'
import type { NetworkInterface } from './network-interface.ts'
import { narrowByRoles, roleFilterParameters } from './role-filter.ts'

const precedences = ['default', 'required', 'failed'] as const
const costShape = integerShape({ min: 0, max: 65_535 })

type Info = Readonly<Record<string, string>>

const fields = defineFields({
  name: uniqueName({ wording: 'index' }),
  type: optionalText({
    oneOf: ['User', 'Device', 'Service', 'Router', 'Default'],
    required: 'on create and put',
    setBy: 'create and put',
    isTransient: true,
  }),
  typeId: serverSet('Default', { symbol: 'type' }),
  isAdmin: flag({ required: 'on create and put', symbol: true }),
  isDefaultAdmin: flag({ setBy: 'server', symbol: true }),
  permissions: listOf(textShape({ oneOf: assignableGrants }), { isNullWhenEmpty: true, normalise: sorted }),
  roleAttributes: roleAttributes(),
  externalId: optionalText({
    symbol: true,
    normalise: (id) => (id?.trim() ? id : null),
    unique: { reason: (value, table) => `duplicate value '${value}' in unique index on ${table} store` },
  }),
  authPolicyId: reference('authPolicies', {
    onTargetDeleted: 'refuse',
    shownAs: 'authPolicy',
    default: defaultAuthPolicyId,
    symbol: true,
    normalise: (id) => (id.trim() === '' ? defaultAuthPolicyId : id),
  }),
  defaultHostingCost: integer({ min: 0, max: 65_535 }),
  defaultHostingPrecedence: oneOf(precedences, { default: 'default' }),
  serviceHostingCosts: mapByReference('services', costShape),
  serviceHostingPrecedences: mapByReference('services', textShape({ oneOf: precedences })),
  appData: json(),
  enrollment: firstEnrollment,
  envInfo: serverSet<Info>({}),
  sdkInfo: serverSet<Info>({}),
  interfaces: serverSet<readonly NetworkInterface[]>([], { isNullWhenEmpty: true }),
  disabledAt: time({ setBy: 'server', shown: 'when set' }),
  disabledUntil: time({ setBy: 'server', shown: 'when set' }),
  /** Configs that replace a service's own for this identity: service id, config type id, config id. */
  serviceConfigs: mapByReference('services', anythingShape as Shape<Info>, { setBy: 'server', shown: 'never' }),
  /** The same configs, so that none of them is deleted while it is in use. */
  overridingConfigs: references('configs', {
    onTargetDeleted: 'refuse',
    setBy: 'server',
    shown: 'never',
    derive: ({ serviceConfigs }) => overridingConfigs(serviceConfigs as ServiceConfigs),
  }),
})

export type Identity = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    identities: Identity
  }
}

/** Who is connected where: known only while it is so. */
export interface Presence {
  connectionStatus(identityId: string): 'online' | 'offline' | 'unknown'
}

export interface IdentityDeps extends IdentityActionDeps {
  readonly invitations: InvitationSigner
  readonly presence: Presence
}

export function identities(deps: IdentityDeps): Resource {
  return defineResource({
    collection: 'identities',
    singular: 'identity',
    table: 'identities',
    permission: 'identity',
    idKind: 'short',
    fields,
    rules: [typeIsSettled],
    follow: [endsWithItsCredentials, createFirstEnrollment(deps.invitations)],
    guard: onlyAdminsTouchAdmins,
    narrow: narrowByRoles('identities'),
    listParameters: roleFilterParameters,
    links: (identity) => ({
      'auth-policies': `./auth-policies/${identity.authPolicyId}`,
      'posture-data': `./identities/${identity.id}/posture-data`,
      'failed-service-requests': `./identities/${identity.id}/failed-service-requests`,
      'service-configs': `./identities/${identity.id}/service-configs`,
    }),
    live: {
      type: ({ typeId }) => identityTypeReference(typeId),
      disabled: (identity, { now }) => isDisabled(identity, Date.parse(now)),
      hasApiSession: ({ id }, { view }) => view.countOf('apiSessions', 'identityId', id) > 0,
      hasEdgeRouterConnection: ({ id }) => deps.presence.connectionStatus(id) === 'online',
      edgeRouterConnectionStatus: ({ id }) => deps.presence.connectionStatus(id),
      isMfaEnabled: ({ id }, { view }) => view.find('mfas', 'identityId', id).some((mfa) => mfa.isVerified),
      authenticators: shownAuthenticators,
      enrollment: shownEnrollments,
    },
    sublists: identitySublists,
    actions: identityActions(deps),
  })
}

function identityTypeReference(id: string) {
  return { _links: { self: { href: `./identity-types/${id}` } }, entity: 'identity-types', id, name: id }
}

function shownAuthenticators({ id }: Identity, { view }: Rendering) {
  const shown: Record<string, unknown> = {}
  for (const authenticator of view.find('authenticators', 'identityId', id)) {
    const { method, username, certFingerprint } = authenticator
    const member = method === 'updb' ? { username } : { fingerprint: certFingerprint }
    shown[method] = { id: authenticator.id, ...member }
  }
  return shown
}

/** An open enrollment is a credential: an administrator's is shown to administrators only. */
function shownEnrollments(identity: Identity, rendering: Rendering) {
  const { view, caller } = rendering
  const shown: Record<string, unknown> = {}
  const isSecret = isAdministrator(identity) && !caller.isAdmin
  for (const enrollment of view.find('enrollments', 'identityId', identity.id)) {
    const { id, method, token, jwt, expiresAt, caId } = enrollment
    const credential = isSecret ? {} : { token, jwt }
    shown[method] = { id, ...credential, expiresAt, ...(caId && { caId, ca: rendering.reference('cas', caId) }) }
  }
  return shown
}

export function isAdministrator(identity: Pick<Identity, 'isAdmin' | 'isDefaultAdmin'>): boolean {
  return identity.isAdmin || identity.isDefaultAdmin
}

function onlyAdminsTouchAdmins(
  caller: Caller,
  action: string,
  before: Identity | undefined,
  body: Readonly<Record<string, unknown>>,
): void {
  if (caller.isAdmin || action === 'read') return
  if (before !== undefined && isAdministrator(before)) {
    const denied = action === 'delete' ? 'non-admin may not delete' : 'non-admins may not modify'
    throw refusal('UNAUTHORIZED', `${denied} admin identities`)
  }
  if (action === 'create') refuseEscalation(body)
  // Only a PUT can say a type, and a PUT says everything: whoever may not say all of it may not use it.
  else if ('type' in body) throw refusal('UNAUTHORIZED', 'non-admins may not use the PUT method, use PATCH instead')
  else refuseChange(body)
}

function refuseEscalation({ isAdmin, permissions }: Readonly<Record<string, unknown>>): void {
  if (isAdmin === true) throw refusal('UNAUTHORIZED', 'non-admins may not create admin users')
  if ((permissions as readonly string[] | undefined)?.length) {
    throw refusal('UNAUTHORIZED', 'non-admins may not create users with permissions')
  }
}

function refuseChange(body: Readonly<Record<string, unknown>>): void {
  for (const name of ['permissions', 'isAdmin']) {
    if (name in body) throw refusal('UNAUTHORIZED', `non-admins may not modify the identity field '${name}'`)
  }
}

/** Only `Default` and `Router` exist; routers make the latter, under their own name, and nothing turns one into the other. */
function typeIsSettled(next: Identity, before: Identity | undefined, change: Change): void {
  if (before === undefined) return
  const isRouter = before.typeId === 'Router'
  if (next.type && isRouter !== (next.type === 'Router')) {
    const reason = isRouter ? 'may not change type of router identities' : 'may not change type to router'
    throw fieldError('typeId', reason, next.type)
  }
  if (isRouter && next.name !== before.name && next.name !== change.view.get('routers', next.id)?.name) {
    throw fieldError('name', 'may not change name of router identities', next.name)
  }
}

function endsWithItsCredentials(change: Change, next: Identity | undefined, before: Identity | undefined): void {
  if (next !== undefined || before === undefined) return
  if (before.isDefaultAdmin) throw new ApiError('ENTITY_CAN_NOT_BE_DELETED')
  if (before.typeId === 'Router' && change.view.get('routers', before.id)?.isTunnelerEnabled) {
    const message = `cannot delete router identity ${before.name} until associated router is deleted`
    throw refusal('ENTITY_CAN_NOT_BE_DELETED', message)
  }
  revokeIdentity(change, before.id)
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort()
}
