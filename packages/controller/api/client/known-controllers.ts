/** The controllers of the network as clients are told of them: where they log in, and nothing of how controllers meet. */
import type { Call } from '../../operation/operation.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import type { ApiAddresses } from '../../resources/controllers.ts'

type Shown = Readonly<Record<string, unknown>>

const clientApis: ReadonlySet<string> = new Set(['edge-client', 'edge-oidc'])

export function knownControllers(kit: Kit, call: Call): Shown[] {
  return Array.from(kit.view.rows('controllers'), (row) =>
    shownController(kit.record('controllers', row, call, 'list')),
  )
}

/** What of a controller's record clients see. */
export function shownController(record: Shown): Shown {
  const { ctrlAddress: _, isPreferredLeader: __, apiAddresses, ...shown } = record
  const addresses = Object.entries(apiAddresses as ApiAddresses).filter(([api]) => clientApis.has(api))
  return { ...shown, apiAddresses: Object.fromEntries(addresses) }
}
