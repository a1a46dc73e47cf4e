/**
 * What every network has from its first moment: the default auth policy, the built-in config types and, once somebody names
 * one, the default administrator.
 */
import { builtInConfigTypes } from '@weft/model'
import { PasswordHasher } from './auth/password-hash.ts'
import type { Change } from './resource-kit/change.ts'
import type { Kit } from './resource-kit/kit.ts'
import { defaultAuthPolicyId, defaultPrimary } from './resources/auth-policies.ts'

/** Adds what is missing; what an operator has changed or removed since stays as it is. */
export async function ensureBuiltIns(kit: Kit): Promise<void> {
  if (kit.view.get('authPolicies', defaultAuthPolicyId) !== undefined) return
  await kit.writeAsController((change) => {
    const policy = { name: 'Default', primary: defaultPrimary, secondary: { requireTotp: false } }
    change.create('authPolicies', policy, { id: defaultAuthPolicyId, isSystem: true })
    for (const { id, name, target, schema } of builtInConfigTypes) {
      change.create('configTypes', { name, target, schema }, { id })
    }
  })
}

export interface DefaultAdmin {
  readonly username: string
  readonly password: string
  readonly name: string
}

/** Whether the network has its default administrator yet. */
export function hasDefaultAdmin(kit: Kit): boolean {
  return kit.view.rows('identities').some((identity) => identity.isDefaultAdmin)
}

/** The name by which the default administrator logs in, if it does so by password. */
export function defaultAdminUsername(kit: Kit): string | undefined {
  const admin = kit.view.rows('identities').find((identity) => identity.isDefaultAdmin)
  const authenticators = admin === undefined ? [] : kit.view.find('authenticators', 'identityId', admin.id)
  return authenticators.find(({ method }) => method === 'updb')?.username ?? undefined
}

/** Makes the default administrator. Throws when there is one. */
export async function createDefaultAdmin(kit: Kit, admin: DefaultAdmin): Promise<void> {
  const passwordHash = await new PasswordHasher().hash(admin.password)
  await kit.writeAsController((change: Change) => {
    if (change.view.rows('identities').some((identity) => identity.isDefaultAdmin)) {
      throw new Error('this network already has its default administrator')
    }
    const { id } = change.create(
      'identities',
      { name: admin.name, isAdmin: true, isDefaultAdmin: true },
      { idKind: 'short' },
    )
    const credentials = { method: 'updb', identityId: id, username: admin.username, passwordHash }
    change.create('authenticators', credentials, { idKind: 'short' })
  })
}
