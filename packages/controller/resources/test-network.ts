/**
 * A network in memory for the tests of this folder: every resource with its rules, real tables, no store and no HTTP.
 */

import { SessionActivity } from '../auth/session-activity.ts'
import { systemClock } from '../clock.ts'
import { type Caller, nobody } from '../operation/caller.ts'
import { Change } from '../resource-kit/change.ts'
import { Registry } from '../resource-kit/registry.ts'
import { Renderer } from '../resource-kit/render.ts'
import type { Place, Rendering } from '../resource-kit/resource.ts'
import { Overlay } from '../state/overlay.ts'
import { Tables } from '../state/tables.ts'
import type { Follower } from '../state/writer.ts'
import { defaultAuthPolicyId, defaultPrimary } from './auth-policies.ts'
import { IdentityTracing } from './identity-tracing.ts'
import { allResources, type ResourceDeps } from './index.ts'
import { nothingReported } from './posture-reports.ts'
import { noRouterConnected } from './router-presence.ts'

const now = '2026-05-01T12:00:00.000Z'

/** What the rules of resources ask of the outside; what only actions use is left out. */
const deps = {
  invitations: {
    invite: ({ token }: { readonly token: string }) => `invitation ${token}`,
    identityDuration: 1_000,
    routerDuration: 1_000,
  },
  presence: { connectionStatus: () => 'offline' },
  tracing: new IdentityTracing(systemClock),
  posture: nothingReported,
  routerPresence: noRouterConnected,
  terminatorCosts: { dynamicCost: () => 0 },
  activity: new SessionActivity(systemClock),
} as unknown as ResourceDeps

export class TestNetwork {
  readonly registry = new Registry(allResources(deps))
  readonly view = new Tables(this.registry.specs.values())
  readonly #renderer = new Renderer(this.registry)
  readonly #followers: Follower[] = []
  #index = 0

  constructor() {
    this.change((change) => {
      const policy = { name: 'Default', primary: defaultPrimary, secondary: { requireTotp: false } }
      change.create('authPolicies', policy, { id: defaultAuthPolicyId })
    })
  }

  /** Runs a mutation; one that throws changes nothing. */
  change<T>(mutate: (change: Change) => T): T {
    const draft = new Overlay(this.view, this.registry.specs)
    const result = mutate(new Change(draft, now, this.registry, undefined))
    const changes = draft.changesSince(0)
    this.view.apply(changes)
    const cause = { author: { type: 'controller', id: 'test', name: 'test' } }
    const commit = { index: ++this.#index, time: now, cause, changes }
    for (const follower of this.#followers) follower([commit])
    return result
  }

  /** As the writer's: told of every change, in order. */
  follow(follower: Follower): () => void {
    this.#followers.push(follower)
    return () => this.#followers.splice(this.#followers.indexOf(follower), 1)
  }

  /** A caller that is fully authenticated. */
  caller(identityId: string, facts: Partial<Caller> = {}): Caller {
    return { ...nobody, kind: 'full', identityId, ...facts }
  }

  /** What showing something to a caller who asked with a query string looks at. */
  rendering(caller: Caller, place: Place, query = ''): Rendering {
    const call = { caller, query: new URLSearchParams(query) } as Rendering['call']
    const { view } = this
    const reference = (collection: string, id: string) => this.#renderer.reference(collection, id, { view })
    return { view, call, caller, place, now, reference }
  }
}
