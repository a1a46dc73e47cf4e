/** Terminators as the fabric shows them: with their instance and their host, and those of its own services too. */
import { restricted } from '../../resource-kit/fields.ts'
import { defineResource, type Resource } from '../../resource-kit/resource.ts'
import { refuseHosted, type TerminatorCosts, terminatorFields, terminatorSymbols } from '../terminators.ts'

const { serviceId, binding, address, cost, precedence, savedPrecedence, peerData, hostSession, sourceCtrl } =
  terminatorFields

const fields = {
  serviceId,
  routerId: restricted(terminatorFields.routerId, { collection: 'routers' }),
  binding,
  address,
  instanceId: restricted(terminatorFields.instanceId, { input: 'instanceId', shown: 'always' }),
  instanceSecret: restricted(terminatorFields.instanceSecret, { input: 'instanceSecret' }),
  peerData,
  hostId: restricted(terminatorFields.hostId, { setBy: 'caller', shown: 'always' }),
  hostSession,
  sourceCtrl,
  cost,
  precedence,
  savedPrecedence,
}

export function fabricTerminators({ terminatorCosts }: { readonly terminatorCosts: TerminatorCosts }): Resource {
  return defineResource({
    collection: 'terminators',
    singular: 'terminator',
    table: 'terminators',
    permission: 'admin',
    fields,
    guard: (_caller, action, before) => refuseHosted(action, before),
    live: { dynamicCost: ({ id }) => terminatorCosts.dynamicCost(id) },
    symbols: terminatorSymbols,
  })
}
