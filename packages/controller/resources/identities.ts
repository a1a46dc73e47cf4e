/**
 * Identities: who can log in, dial and host.
 *
 * Whoever is not an administrator gains nothing from an operation on one: the guard stands before every write to an
 * administrator, whichever verb or action it comes by, and an administrator's open enrollments are not shown.
 */
import { ApiError, fieldError, refusal } from '../api/api-error.ts'
import type { Caller } from '../auth/caller.ts'
import { isDisabled } from '../auth/disabled.ts'
import { assignableGrants } from '../auth/permissions.ts'
import { revokeIdentity } from '../auth/revoke-identity.ts'
import type { Change } from '../resource-kit/change.ts'
import {
  defineFields,
  flag,
  integer,
  json,
  listOf,
  mapOf,
  oneOf,
  optionalText,
  type RowOf,
  reference,
  roleAttributes,
  serverSet,
  time,
  uniqueName,
} from '../resource-kit/fields.ts'
import { defineResource, type Rendering, type Resource } from '../resource-kit/resource.ts'
import { integerShape, textShape } from '../resource-kit/shapes.ts'
import { defaultAuthPolicyId } from './auth-policies.ts'
import type { InvitationSigner } from './enrollment-issuing.ts'
import { identityActions, type IdentityActionDeps } from './identity-actions.ts'
import { createFirstEnrollment, firstEnrollment } from './identity-enrollment.ts'
import { identitySublists } from './identity-sublists.ts'
import { narrowByRoles } from './role-filter.ts'

const precedences = ['default', 'required', 'failed'] as const
const costShape = integerShape({ min: 0, max: 65_535 })

/** A network interface, as an endpoint reports it. */
export interface NetworkInterface {
  readonly name: string
  readonly index: number
  readonly mtu: number
  readonly hardwareAddress: string
  readonly addresses: readonly string[]
  readonly isUp: boolean
  readonly isRunning: boolean
  readonly isLoopback: boolean
  readonly isBroadcast: boolean
  readonly isMulticast: boolean
}

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
  serviceHostingCosts: mapOf(costShape),
  serviceHostingPrecedences: mapOf(textShape({ oneOf: precedences })),
  appData: json(),
  enrollment: firstEnrollment,
  envInfo: serverSet<Info>({}),
  sdkInfo: serverSet<Info>({}),
  interfaces: serverSet<readonly NetworkInterface[]>([], { isNullWhenEmpty: true }),
  disabledAt: time({ setBy: 'server', shown: 'when set' }),
  disabledUntil: time({ setBy: 'server', shown: 'when set' }),
  /** Configs that replace a service's own for this identity: service id, config type id, config id. */
  serviceConfigs: serverSet<Readonly<Record<string, Info>>>({}, { shown: 'never' }),
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
    rules: [typeIsSettled, hostedServicesExist],
    follow: [endsWithItsCredentials, createFirstEnrollment(deps.invitations)],
    guard: onlyAdminsTouchAdmins,
    narrow: narrowByRoles('identities'),
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
function shownEnrollments(identity: Identity, { view, caller }: Rendering) {
  const shown: Record<string, unknown> = {}
  const isSecret = isAdministrator(identity) && !caller.isAdmin
  for (const enrollment of view.find('enrollments', 'identityId', identity.id)) {
    const { id, method, token, jwt, expiresAt, caId } = enrollment
    const credential = isSecret ? {} : { token, jwt }
    shown[method] = { id, ...credential, expiresAt, ...(caId && { caId }) }
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
    throw refusal('UNAUTHORIZED', 'only administrators may change an administrator')
  }
  const grants = body['permissions'] as readonly string[] | undefined
  const isEscalation = action === 'create' ? body['isAdmin'] === true || (grants?.length ?? 0) > 0 : 'isAdmin' in body || 'permissions' in body
  if (isEscalation) throw refusal('UNAUTHORIZED', 'only administrators may set isAdmin or permissions')
}

/** Only `Default` and `Router` exist; routers make the latter, and nothing turns one into the other. */
function typeIsSettled(next: Identity, before: Identity | undefined): void {
  if (before === undefined) return
  const wanted = next.type === 'Router' ? 'Router' : 'Default'
  if (next.type && before.typeId !== wanted) throw fieldError('typeId', 'may not be changed to or from Router', next.type)
  if (before.typeId === 'Router' && next.name !== before.name) {
    throw fieldError('name', 'the name of a router identity follows its router', next.name)
  }
}

function hostedServicesExist(next: Identity, before: Identity | undefined, change: Change): void {
  for (const name of ['serviceHostingCosts', 'serviceHostingPrecedences'] as const) {
    if (next[name] === before?.[name]) continue
    for (const id of Object.keys(next[name])) {
      if (change.view.get('services', id) === undefined) throw refusal('NOT_FOUND', `services with id ${id} not found`)
    }
  }
}

function endsWithItsCredentials(change: Change, next: Identity | undefined, before: Identity | undefined): void {
  if (next !== undefined || before === undefined) return
  if (before.isDefaultAdmin) throw new ApiError('ENTITY_CAN_NOT_BE_DELETED')
  if (before.typeId === 'Router' && change.view.get('routers', before.id) !== undefined) {
    throw new ApiError('ENTITY_CAN_NOT_BE_DELETED')
  }
  revokeIdentity(change, before.id)
}

function sorted(values: readonly string[]): readonly string[] {
  return [...new Set(values)].sort()
}
