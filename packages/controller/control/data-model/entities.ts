/**
 * From rows to what routers are told of them. A router gets what it needs to judge access and to carry traffic, and
 * nothing else: no schemas, no roles (who belongs to a policy is told by name), no secrets.
 */
import type { TerminatorPrecedence } from '@weft/wire/messages'
import type { TableName, TableRows } from '../../state/row.ts'
import type { DataEventInit } from './data-event.ts'

/** What an event says besides what became of it. */
export type ModelEntity = NonNullable<DataEventInit['model']>

type Entity<K extends ModelEntity['kind']> = Extract<ModelEntity, { readonly kind: K }>['value']

type Describe<T extends TableName> = (row: TableRows[T]) => ModelEntity | undefined

/** The tables that routers have a copy of, and how each row is told; undefined is not told at all. */
export const modelTables: { readonly [T in TableName]?: Describe<T> } = {
  configTypes: ({ id, name, target }) => ({ kind: 'configType', value: { id, name, target } }),
  configs: ({ id, configTypeId, name, data }) => ({
    kind: 'config',
    value: { id, typeId: configTypeId, name, dataJson: JSON.stringify(data) },
  }),
  identities: (row) => ({ kind: 'identity', value: identityOf(row) }),
  services: ({ id, name, encryptionRequired, configs, isFabricOnly }) =>
    isFabricOnly ? undefined : { kind: 'service', value: { id, name, encryptionRequired, configs } },
  routers: ({ id, name, fingerprint, configs, disabled }) => ({
    kind: 'router',
    value: { id, name, fingerprint: fingerprint ?? '', configs, disabled },
  }),
  postureChecks: (row) => ({ kind: 'postureCheck', value: postureCheckOf(row) }),
  servicePolicies: ({ id, name, type }) => ({
    kind: 'servicePolicy',
    value: { id, name, policyType: type === 'Dial' ? 'DialPolicy' : 'BindPolicy' },
  }),
  revocations: ({ id, type, expiresAt, issuedBefore }) => ({
    kind: 'revocation',
    value: { id, type, expiresAt: time(expiresAt), issuedBefore: time(issuedBefore) },
  }),
}

export const modelTableNames: ReadonlySet<string> = new Set(Object.keys(modelTables))

export function isModelTable(table: TableName): boolean {
  return modelTableNames.has(table)
}

/** A row as routers are told of it. */
export function describe(table: TableName, row: unknown): ModelEntity | undefined {
  return (modelTables[table] as Describe<TableName> | undefined)?.(row as never)
}

function identityOf(row: TableRows['identities']): Entity<'identity'> {
  const { id, name, defaultHostingPrecedence, defaultHostingCost } = row
  return {
    id,
    name,
    defaultHostingPrecedence: precedences[defaultHostingPrecedence],
    defaultHostingCost,
    serviceHostingPrecedences: mapped(row.serviceHostingPrecedences, (name) => precedences[name as Precedence]),
    serviceHostingCosts: mapped(row.serviceHostingCosts, (cost) => cost),
    appDataJson: Buffer.from(JSON.stringify(row.appData)),
    serviceConfigs: mapped(row.serviceConfigs, (configs) => ({ configs: new Map(Object.entries(configs)) })),
    // Also when its time is over: then the row changes, and routers are told by that.
    disabled: row.disabledAt !== null,
  }
}

type Precedence = TableRows['identities']['defaultHostingPrecedence']

const precedences: Readonly<Record<Precedence, TerminatorPrecedence>> = {
  default: 'Default',
  required: 'Required',
  failed: 'Failed',
}

function mapped<T, V>(values: Readonly<Record<string, T>>, value: (of: T) => V): ReadonlyMap<string, V> {
  return new Map(Object.entries(values).map(([key, of]) => [key, value(of)]))
}

function postureCheckOf(row: TableRows['postureChecks']): Entity<'postureCheck'> {
  const { id, name, typeId } = row
  return { id, name, typeId, subtype: demandOf(row) }
}

function demandOf(row: TableRows['postureChecks']): NonNullable<Entity<'postureCheck'>['subtype']> {
  switch (row.typeId) {
    case 'MAC':
      return { kind: 'mac', value: { macAddresses: row.macAddresses } }
    case 'MFA': {
      const { timeoutSeconds, promptOnWake, promptOnUnlock, ignoreLegacyEndpoints } = row
      return { kind: 'mfa', value: { timeoutSeconds, promptOnWake, promptOnUnlock, ignoreLegacyEndpoints } }
    }
    case 'OS': {
      const osList = row.operatingSystems.map(({ type, versions }) => ({ osType: type, osVersions: versions ?? [] }))
      return { kind: 'osList', value: { osList } }
    }
    case 'PROCESS': {
      const { osType, path, hashes, signerFingerprint } = row.process!
      const fingerprints = signerFingerprint ? [signerFingerprint] : []
      return { kind: 'process', value: { osType, path, hashes: hashes ?? [], fingerprints } }
    }
    case 'PROCESS_MULTI': {
      const processes = row.processes.map(({ signerFingerprints, ...process }) => ({
        ...process,
        fingerprints: signerFingerprints,
      }))
      return { kind: 'processMulti', value: { semantic: row.semantic, processes } }
    }
    case 'DOMAIN':
      return { kind: 'domains', value: { domains: row.domains } }
  }
}

/** Nanoseconds. */
function time(text: string | null): bigint | undefined {
  return text === null ? undefined : BigInt(Date.parse(text)) * 1_000_000n
}
