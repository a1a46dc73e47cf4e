/**
 * Controllers: the members of the cluster. Each describes itself when it starts; a single one is a cluster of one.
 */
import type { Change } from '../resource-kit/change.ts'
import { defineFields, flag, type RowOf, serverSet, text, time } from '../resource-kit/fields.ts'
import { defineResource } from '../resource-kit/resource.ts'

/** Where an API of a controller is reached, by the name of its binding. */
export type ApiAddresses = Readonly<Record<string, readonly { readonly url: string; readonly version: string }[]>>

const fields = defineFields({
  name: text({ setBy: 'server', symbol: true, unique: { reason: () => 'name must be unique' } }),
  ctrlAddress: text({ setBy: 'server', symbol: true }),
  certPem: text({ setBy: 'server', symbol: true }),
  fingerprint: text({ setBy: 'server', symbol: true }),
  isOnline: flag({ setBy: 'server', symbol: true }),
  isPreferredLeader: flag({ setBy: 'server', shown: 'when set', symbol: true }),
  lastJoinedAt: time({ setBy: 'server', symbol: true }),
  apiAddresses: serverSet<ApiAddresses>({}),
})

export type Controller = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    controllers: Controller
  }
}

export const controllers = defineResource({
  collection: 'controllers',
  singular: 'controller',
  table: 'controllers',
  permission: 'controllers',
  fields,
  verbs: ['list'],
})

/** What a controller says of itself. */
export interface ControllerDescription {
  readonly id: string
  /** The common name of its certificate. */
  readonly name: string
  /** Of its control channel, `tls:host:port`. */
  readonly ctrlAddress: string
  readonly certPem: string
  readonly fingerprint: string
  readonly apiAddresses: ApiAddresses
}

/**
 * Writes the description of the controller that has just started. It is the only one on its store, so a row under another
 * id is what it was called before, and goes.
 */
export function describeController(change: Change, { id, ...description }: ControllerDescription): void {
  for (const other of [...change.view.rows('controllers')]) {
    if (other.id !== id) change.remove('controllers', other.id)
  }
  const values = { ...description, isOnline: true, lastJoinedAt: change.now }
  if (change.view.get('controllers', id) === undefined) change.create('controllers', values, { id })
  else change.update('controllers', id, values)
}
