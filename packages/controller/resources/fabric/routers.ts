/**
 * Routers as the fabric shows them, of whatever kind. Those made here get the id and the fingerprint that the caller says:
 * they were enrolled by other means.
 */
import { fieldError } from '../../operation/api-error.ts'
import { created } from '../../operation/envelope.ts'
import type { Call } from '../../operation/operation.ts'
import { bodyContract, type Decoded } from '../../resource-kit/body-contracts.ts'
import { restricted, text } from '../../resource-kit/fields.ts'
import { newId } from '../../resource-kit/ids.ts'
import { defineResource, type Resource } from '../../resource-kit/resource.ts'
import { routerFields } from '../router-fields.ts'
import type { RouterPresence } from '../router-presence.ts'

const { name, kind, disabled, ctrlChanListeners, configs, interfaces } = routerFields

const fields = {
  name,
  kind,
  fingerprint: restricted(routerFields.fingerprint, { setBy: 'caller', shown: 'always', required: 'on put' }),
  cost: restricted(routerFields.cost, { required: 'on create and put' }),
  noTraversal: restricted(routerFields.noTraversal, { required: 'on create and put' }),
  disabled,
  ctrlChanListeners,
  configs,
  interfaces,
}

const LONGEST_ID = 256

/** The id is part of a new router only. */
const creation = { ...fields, id: text({ max: LONGEST_ID, required: 'on create' }) }

export function fabricRouters({ routerPresence }: { readonly routerPresence: RouterPresence }): Resource {
  const connected = ({ id }: { readonly id: string }) => routerPresence.connected(id)
  const isConnected = (router: { readonly id: string }) => connected(router) !== undefined
  return defineResource({
    collection: 'routers',
    singular: 'router',
    table: 'routers',
    permission: 'admin',
    fields,
    verbs: ['list', 'detail', 'update', 'patch', 'delete'],
    live: {
      connected: isConnected,
      listenerAddresses: (router) => {
        const listeners = connected(router)?.linkListeners.map(({ address, protocol }) => ({ address, protocol })) ?? []
        return listeners.length === 0 ? null : listeners
      },
      versionInfo: (router) => connected(router)?.versionInfo,
    },
    symbols: { connected: { type: 'bool', value: isConnected, isSortable: true } },
    sublists: {
      terminators: {
        of: 'terminators',
        ids: (id, view) => view.find('terminators', 'routerId', id).map((row) => row.id),
        operationId: 'listRouterTerminators',
        isLinked: true,
      },
    },
    actions: [
      {
        method: 'POST',
        path: '',
        operationId: 'createRouter',
        needs: 'create',
        body: bodyContract('router', creation, 'create'),
        async run({ body }: Call<Decoded>, kit) {
          const { id: wanted, ...values } = body
          const id = String(wanted) || newId('short')
          await kit.write((change) => {
            if (change.view.get('routers', id) !== undefined)
              throw fieldError('id', 'there is a router with this id', id)
            change.create('routers', { ...values, kind: 'fabric' }, { id })
          })
          return created('routers', id)
        },
      },
    ],
  })
}
