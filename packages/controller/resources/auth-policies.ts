/**
 * Auth policies: which primary factors an identity may log in with, and which it needs besides.
 */
import { ApiError, notFound, refusal } from '../operation/api-error.ts'
import type { Caller } from '../operation/caller.ts'
import type { Action } from '../operation/operation.ts'
import type { FilterSymbol, SymbolType, Value } from '../query/symbol.ts'
import type { Change } from '../resource-kit/change.ts'
import { defineFields, object, type RowOf, uniqueName } from '../resource-kit/fields.ts'
import type { Rendering } from '../resource-kit/resource.ts'
import { defineResource } from '../resource-kit/resource.ts'
import {
  flagShape,
  integerShape,
  listShape,
  type MembersOf,
  objectShape,
  optional,
  required,
  textShape,
} from '../resource-kit/shapes.ts'
import type { View } from '../state/view.ts'

const primary = {
  cert: required(objectShape({ allowed: required(flagShape), allowExpiredCerts: required(flagShape) })),
  updb: required(
    objectShape({
      allowed: required(flagShape),
      minPasswordLength: required(integerShape()),
      requireSpecialChar: required(flagShape),
      requireNumberChar: required(flagShape),
      requireMixedCase: required(flagShape),
      maxAttempts: required(integerShape()),
      lockoutDurationMinutes: required(integerShape()),
    }),
  ),
  extJwt: required(objectShape({ allowed: required(flagShape), allowedSigners: required(listShape(textShape())) })),
}

const secondary = {
  requireTotp: required(flagShape),
  requireExtJwtSigner: optional(textShape()),
}

type PrimaryFactors = MembersOf<typeof primary>

/** What the built-in policy allows, and what a policy written by nobody would. */
export const defaultPrimary: PrimaryFactors = {
  cert: { allowed: true, allowExpiredCerts: true },
  updb: {
    allowed: true,
    minPasswordLength: 5,
    requireSpecialChar: false,
    requireNumberChar: false,
    requireMixedCase: false,
    maxAttempts: 0,
    lockoutDurationMinutes: 0,
  },
  extJwt: { allowed: true, allowedSigners: [] },
}

const fields = defineFields({
  name: uniqueName(),
  primary: object(primary, { required: 'on create and put', default: defaultPrimary, normalise: withinBounds }),
  secondary: object(secondary, {
    required: 'on create and put',
    default: { requireTotp: false, requireExtJwtSigner: undefined },
  }),
})

export type AuthPolicy = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    authPolicies: AuthPolicy
  }
}

/** The policy identities have unless told otherwise. */
export const defaultAuthPolicyId = 'default'

export const authPolicies = defineResource({
  collection: 'auth-policies',
  singular: 'authPolicy',
  table: 'authPolicies',
  permission: 'auth-policy',
  fields,
  rules: [signersExist],
  guard: onlyAdminsChangeThatOfAdmins,
  operationIds: { list: 'listAuthPolicies' },
  symbols: {
    'primary.cert.allowed': symbol('bool', ({ primary }) => primary.cert.allowed),
    'primary.cert.allowExpiredCerts': symbol('bool', ({ primary }) => primary.cert.allowExpiredCerts),
    'primary.updb.allowed': symbol('bool', ({ primary }) => primary.updb.allowed),
    'primary.updb.minPasswordLength': symbol('int64', ({ primary }) => primary.updb.minPasswordLength),
    'primary.updb.requireSpecialChar': symbol('bool', ({ primary }) => primary.updb.requireSpecialChar),
    'primary.updb.requireMixedCase': symbol('bool', ({ primary }) => primary.updb.requireMixedCase),
    'primary.updb.requireNumberChar': symbol('bool', ({ primary }) => primary.updb.requireNumberChar),
    'primary.updb.maxAttempts': symbol('int64', ({ primary }) => primary.updb.maxAttempts),
    'primary.extJwt.allowed': symbol('bool', ({ primary }) => primary.extJwt.allowed),
    'secondary.requireTotp': symbol('bool', ({ secondary }) => secondary.requireTotp),
    'secondary.requireExtJwtSigner': symbol('string', ({ secondary }) => secondary.requireExtJwtSigner ?? null),
  },
})

function symbol(type: SymbolType, value: (policy: AuthPolicy) => Value): FilterSymbol<AuthPolicy, Rendering> {
  return { type, value }
}

const SHORTEST_PASSWORD = 5
const LONGEST_PASSWORD = 100

function withinBounds(value: PrimaryFactors): PrimaryFactors {
  const { updb } = value
  return {
    ...value,
    updb: {
      ...updb,
      minPasswordLength: Math.min(Math.max(updb.minPasswordLength, SHORTEST_PASSWORD), LONGEST_PASSWORD),
      maxAttempts: Math.max(updb.maxAttempts, 0),
      lockoutDurationMinutes: Math.max(updb.lockoutDurationMinutes, 0),
    },
  }
}

/** Weakening the policy of an administrator is a step towards becoming one. */
function onlyAdminsChangeThatOfAdmins(
  caller: Caller,
  action: Action,
  before: AuthPolicy | undefined,
  _body: unknown,
  view: View,
): void {
  if (caller.isAdmin || action === 'read' || before === undefined) return
  for (const { isAdmin, isDefaultAdmin } of view.find('identities', 'authPolicyId', before.id)) {
    if (isAdmin || isDefaultAdmin) {
      throw refusal('UNAUTHORIZED', 'only administrators may change the auth policy of an administrator')
    }
  }
}

function signersExist({ primary, secondary }: AuthPolicy, before: AuthPolicy | undefined, change: Change): void {
  for (const [index, id] of primary.extJwt.allowedSigners.entries()) {
    if (change.view.get('externalJwtSigners', id) === undefined) {
      throw signerNotFound(`primary.extJwt.allowedExtJwtSigners[${index}]`, id)
    }
  }
  const { requireExtJwtSigner: id } = secondary
  if (!id || id === before?.secondary.requireExtJwtSigner || change.view.get('externalJwtSigners', id)) return
  throw before === undefined ? signerNotFound('secondary.requiredExtJwtSigner', id) : notFound('externalJwtSigner', id)
}

function signerNotFound(field: string, value: string): ApiError {
  return new ApiError('NOT_FOUND', { cause: { field, reason: 'not found', value } })
}
