/**
 * MFA records: an identity's TOTP seed and recovery codes.
 *
 * They are reached through `current-identity/mfa` alone and have no collection of their own. Seed and codes are stored
 * encrypted under a key that lies outside the database.
 */
import { defineFields, flag, type RowOf, reference, serverSet, text } from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'

const fields = defineFields({
  identityId: reference('identities', { setBy: 'server', onTargetDeleted: 'cascade' }),
  isVerified: flag({ setBy: 'server' }),
  sealedSeed: text({ setBy: 'server', shown: 'never', isSecret: true }),
  sealedRecoveryCodes: text({ setBy: 'server', shown: 'never', isSecret: true }),
  /** The TOTP steps that were accepted last, as far back as one could still be accepted; none is accepted twice. */
  usedSteps: serverSet<readonly number[]>([], { shown: 'never' }),
})

export type Mfa = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    mfas: Mfa
  }
}

export const mfas = defineResource({
  collection: 'mfas',
  singular: 'mfa',
  table: 'mfas',
  permission: 'mfa',
  fields,
  verbs: [],
})
