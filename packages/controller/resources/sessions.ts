/**
 * Sessions: that an API session dials or hosts a service. The client API makes them.
 *
 * What routers are shown is a signed token over the id, so the id itself opens nothing and can be listed.
 */
import { grantingPolicies } from '@weft/model'
import { answerData } from '../operation/envelope.ts'
import { allows } from '../operation/permissions.ts'
import { accessView } from '../policies/access-view.ts'
import { defineFields, oneOf, type RowOf, reference } from '../resource-kit/fields.ts'
import { defineResource, type Rendering, type Resource } from '../resource-kit/resource.ts'
import type { RouterPresence } from './router-presence.ts'
import { sharedRouters } from './session-routers.ts'

const fields = defineFields({
  type: oneOf(['Dial', 'Bind'], { setBy: 'server', symbol: true }),
  identityId: reference('identities', { setBy: 'server', onTargetDeleted: 'cascade' }),
  apiSessionId: reference('apiSessions', {
    setBy: 'server',
    onTargetDeleted: 'cascade',
    shownAs: 'apiSession',
    symbol: 'apiSession',
  }),
  serviceId: reference('services', {
    setBy: 'server',
    onTargetDeleted: 'cascade',
    shownAs: 'service',
    symbol: 'service',
  }),
})

export type Session = RowOf<typeof fields>

declare module '../state/row.ts' {
  interface TableRows {
    sessions: Session
  }
}

/** The circuits of the fabric, as far as sessions ask. */
export interface Circuits {
  /** The routers of the first circuit that was made for a client, in order. */
  pathOf(clientId: string): readonly string[]
}

export interface SessionDeps {
  readonly routerPresence: RouterPresence
  readonly circuits: Circuits
}

export function sessions({ routerPresence, circuits }: SessionDeps): Resource {
  return defineResource({
    collection: 'sessions',
    singular: 'session',
    table: 'sessions',
    permission: 'ops',
    idKind: 'cuid',
    fields,
    verbs: ['list', 'detail', 'delete'],
    links: ({ id }) => ({ 'route-path': `./sessions/${id}/route-path` }),
    live: {
      token: ({ id }) => id,
      servicePolicies: shownPolicies,
      edgeRouters: (session, { view }) => {
        const routers = sharedRouters(session, view, routerPresence)
        return routers.length === 0 ? null : routers
      },
    },
    symbols: { token: { type: 'string', value: ({ id }) => id, index: 'id', isSortable: true } },
    actions: [
      {
        method: 'GET',
        path: '/{id}/route-path',
        operationId: 'detailSessionRoutePath',
        needs: 'read',
        run: (call) => answerData({ routePath: circuits.pathOf(call.params['id']!) }),
      },
    ],
  })
}

/** Which policies grant it is told to those who may read policies. */
function shownPolicies({ identityId, serviceId, type }: Session, { view, caller, reference }: Rendering) {
  if (!allows(caller, { entity: 'service-policy', action: 'read' })) return []
  const policies = grantingPolicies(accessView(view), identityId, serviceId, type)
  return [...policies].map(({ id }) => reference('service-policies', id))
}
