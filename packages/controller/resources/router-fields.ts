/**
 * What is kept of a router, of whatever kind: edge routers serve SDKs, transit routers only carry, fabric routers were made
 * through the fabric API. They share one table and one namespace, because a link names a router and not its kind.
 */
import type { Change } from '../resource-kit/change.ts'
import {
  defineFields,
  flag,
  flatTags,
  integer,
  mapOf,
  optionalText,
  type RowOf,
  references,
  roleAttributes,
  serverSet,
  uniqueName,
} from '../resource-kit/fields.ts'
import { listShape, textShape } from '../resource-kit/shapes.ts'
import type { Row } from '../state/row.ts'
import { checkConfigs } from './config-attachment.ts'
import type { NetworkInterface } from './network-interface.ts'

export type RouterKind = 'edge' | 'transit' | 'fabric'

export const routerFields = defineFields({
  name: uniqueName({ unique: { reason: nameTaken } }),
  kind: serverSet<RouterKind>('fabric', { shown: 'never' }),
  cost: integer({ min: 0, max: 65_535, symbol: true }),
  noTraversal: flag({ symbol: true }),
  disabled: flag({ symbol: true }),
  /** Addresses at which other controllers' channels may be opened, each with its groups. */
  ctrlChanListeners: mapOf(listShape(textShape({ max: 4_096 })), { shown: 'when set', symbol: true }),
  configs: references('configs', { onTargetDeleted: 'unlink', symbol: true, isNullWhenEmpty: true }),
  roleAttributes: roleAttributes({ isNullWhenEmpty: true }),
  appData: flatTags(),
  isTunnelerEnabled: flag({ symbol: true }),
  isVerified: flag({ setBy: 'server', symbol: true }),
  fingerprint: optionalText({
    setBy: 'server',
    shown: 'when set',
    symbol: true,
    unique: { reason: () => 'the certificate belongs to another router' },
  }),
  certPem: optionalText({ setBy: 'server' }),
  unverifiedFingerprint: optionalText({ setBy: 'server' }),
  unverifiedCertPem: optionalText({ setBy: 'server' }),
  interfaces: serverSet<readonly NetworkInterface[]>([], { isNullWhenEmpty: true }),
  /** Decimal digits of the mask the router reported last: 64 bits, more than a number holds. */
  capabilitiesMask: optionalText({ setBy: 'server', shown: 'never' }),
  /** The version that it reported last. */
  reportedVersion: optionalText({ setBy: 'server', shown: 'never' }),
})

export type Router = RowOf<typeof routerFields>

declare module '../state/row.ts' {
  interface TableRows {
    routers: Router
  }
}

/** A rule: routers carry configs made for routers, one of each type. */
export function routerConfigsFit(
  next: Pick<Router, 'configs'>,
  before: Pick<Router, 'configs'> | undefined,
  change: Change,
) {
  if (next.configs !== before?.configs) checkConfigs(change, next.configs, 'router')
}

/** Edge routers word it as most entities do, the others as their unique index does. */
function nameTaken(value: string, table: string, row: Row): string {
  return (row as Router).kind === 'edge'
    ? 'name must be unique'
    : `duplicate value '${value}' in unique index on ${table} store`
}
