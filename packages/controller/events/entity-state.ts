/**
 * Entities as entityChange events show them: with the member names that the peers' consumers look for. What only this
 * controller keeps for itself is left out.
 */
import type { Row, TableName, TableRows } from '../state/row.ts'

type Show<T extends TableName> = (row: TableRows[T]) => Readonly<Record<string, unknown>>

const NANOSECONDS = 1_000_000

/** Numbered by their place. */
const precedences: readonly string[] = ['default', 'required', 'failed']
const numberOf = (precedence: string) => precedences.indexOf(precedence)

const states: { readonly [T in TableName]?: Show<T> } = {
  identities({ typeId: identityTypeId, overridingConfigs: _, defaultHostingPrecedence, ...row }) {
    const named = Object.entries(row.serviceHostingPrecedences).map(([id, name]) => [id, numberOf(name)])
    return {
      ...row,
      identityTypeId,
      disabled: row.disabledAt !== null,
      defaultHostingPrecedence: numberOf(defaultHostingPrecedence),
      serviceHostingPrecedences: Object.fromEntries(named),
    }
  },
  routers({ kind: _, capabilitiesMask, reportedVersion, ...row }) {
    return { ...row, capabilitiesMask: Number(capabilitiesMask ?? 0), version: reportedVersion ?? '' }
  },
  services: ({ maxIdleTimeMillis, ...row }) => ({ ...row, maxIdleTime: maxIdleTimeMillis * NANOSECONDS }),
  terminators: ({ serviceId: service, routerId: router, hostSession: _, ...row }) => ({ ...row, service, router }),
  servicePolicies: ({ type: policyType, ...row }) => ({ ...row, policyType }),
  configs: ({ configTypeId: type, ...row }) => ({ ...row, type }),
  authenticators({ id, createdAt, updatedAt, tags, isSystem, identityId, method: type, username, ...certificate }) {
    const { certFingerprint: fingerprint, certPem: pem, unverifiedCertPem: unverifiedPem, ...rest } = certificate
    const subType = type === 'updb' ? { username } : { fingerprint, pem, unverifiedPem, ...rest }
    return { id, createdAt, updatedAt, tags, isSystem, type, identityId, subType }
  },
  enrollments: (row) => ({ ...row, issuedAt: row.createdAt }),
  apiSessions({ isMfaComplete: mfaComplete, isMfaRequired: mfaRequired, ...row }) {
    return { ...row, mfaComplete, mfaRequired }
  },
  apiSessionCertificates({ certificate: pem, validFrom: validAfter, validTo: validBefore, ...row }) {
    return { ...row, pem, validAfter, validBefore }
  },
  mfas: ({ usedSteps: _, ...row }) => row,
  externalJwtSigners: ({ claimsProperty, ...row }) => ({ ...row, identityIdClaimsSelector: claimsProperty }),
  controllers: ({ ctrlAddress: address, ...row }) => ({ ...row, address }),
}

/** Of a row that has no secrets left. */
export function entityState(table: string, row: Row): unknown {
  return (states[table as TableName] as Show<TableName> | undefined)?.(row as never) ?? row
}
