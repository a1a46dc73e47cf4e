/**
 * Sessions of routers that are tunnelers of the 1.x kind: the controller makes them as they are needed, an API session for
 * the router's identity and a session for each service, and the router is told of those that it does not know yet.
 */
import { randomUUID } from 'node:crypto'
import type { ServiceAccess } from '@weft/model'
import { parseHostPort } from '@weft/wire'
import type { ControlMessageInit, TerminatorPrecedence } from '@weft/wire/messages'
import { knownConfigTypes } from '../../auth/open-session.ts'
import type { SessionActivity } from '../../auth/session-activity.ts'
import type { Change } from '../../resource-kit/change.ts'
import type { Kit } from '../../resource-kit/kit.ts'
import type { TableRows } from '../../state/row.ts'
import { findOne, type View } from '../../state/view.ts'
import { endsOf } from '../channel-ends.ts'
import type { ControlConnection } from '../control-connection.ts'
import { writeFromRouter } from '../write-from-router.ts'
import { EdgeRefusal } from './edge-refusal.ts'
import { accessedService, checkRouter, routerIdentity } from './router-access.ts'

type ApiSession = TableRows['apiSessions']
type Session = TableRows['sessions']

export type ToldApiSession = ControlMessageInit<'createApiSessionResponse'>['body']

export interface TunnelerSessionsDeps {
  readonly kit: Kit
  readonly activity: SessionActivity
}

export interface TunnelerSessionsOptions {
  /** Milliseconds after which an API session that is not used ends. */
  readonly sessionTimeout: number
}

export interface WantedSession {
  readonly serviceName: string
  /** The session that the router has for it, if any. */
  readonly sessionId: string
  readonly type: ServiceAccess
}

export interface TunnelerSession {
  readonly apiSession: ApiSession
  readonly session: Session
  /** What the answer tells the router, because it does not know it yet. */
  readonly told: {
    readonly apiSession?: ToldApiSession
    readonly session?: { readonly sessionId: string; readonly token: string }
  }
}

/** Routers ask for the next one so long before the end of the one they have. */
const MARGIN_SECONDS = 10

export class TunnelerSessions {
  readonly #deps: TunnelerSessionsDeps
  readonly #options: TunnelerSessionsOptions
  /** The API session of which a router was told over a connection. */
  readonly #told = new WeakMap<ControlConnection, string>()

  constructor(deps: TunnelerSessionsDeps, options: TunnelerSessionsOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** The API session of the router's identity; it has one at most, however often it asks. */
  async apiSession(from: ControlConnection, configTypes: readonly string[] = ['all']): Promise<ApiSession> {
    const { kit, activity } = this.#deps
    const { id: identityId } = routerIdentity(kit.view, from.routerId)
    const known = findOne(kit.view, 'apiSessions', 'identityId', identityId)
    if (known !== undefined) {
      activity.touch(known.id)
      return known
    }
    const ipAddress = parseHostPort(endsOf(from.channel).remoteAddr)?.host ?? ''
    return await writeFromRouter({ kit, from, method: 'tunnel.create.api_session' }, (change) => {
      routerIdentity(change.view, from.routerId)
      return (
        findOne(change.view, 'apiSessions', 'identityId', identityId) ??
        openApiSession(change, { identityId, ipAddress, configTypes })
      )
    })
  }

  /** What a router is told of its API session. */
  tell(from: ControlConnection, apiSession: ApiSession): ToldApiSession {
    this.#told.set(from, apiSession.id)
    const identity = routerIdentity(this.#deps.kit.view, from.routerId)
    const seconds = Math.floor(this.#options.sessionTimeout / 1_000) - MARGIN_SECONDS
    const { appData, defaultHostingCost, serviceHostingCosts, serviceHostingPrecedences } = identity
    return {
      sessionId: apiSession.id,
      token: apiSession.token,
      refreshIntervalSeconds: Math.max(1, seconds),
      identityId: identity.id,
      identityName: identity.name,
      defaultHostingPrecedence: precedences[identity.defaultHostingPrecedence],
      defaultHostingCost,
      appDataJson: Object.keys(appData).length === 0 ? '' : JSON.stringify(appData),
      servicePrecedences: new Map(
        Object.entries(serviceHostingPrecedences).map(([id, name]) => [id, precedences[name as Precedence]]),
      ),
      serviceCosts: new Map(Object.entries(serviceHostingCosts)),
    }
  }

  /** A session for a service that the router's identity may dial or host, and that the router may carry. */
  async session(from: ControlConnection, { serviceName, sessionId, type }: WantedSession): Promise<TunnelerSession> {
    const { kit } = this.#deps
    const { routerId } = from
    const service = findOne(kit.view, 'services', 'name', serviceName)
    if (service === undefined) throw new EdgeRefusal('invalidService', `there is no service ${serviceName}`)
    const apiSession = await this.apiSession(from)
    const wanted = { identityId: apiSession.identityId, apiSessionId: apiSession.id, serviceId: service.id, type }
    const check = (view: View) => {
      accessedService(view, { routerId, ...wanted }, type)
      checkRouter(view, { routerId, ...wanted }, 'accessDenied')
    }
    check(kit.view)
    const session =
      findSession(kit.view, wanted) ??
      (await writeFromRouter({ kit, from, method: methods[type] }, (change) => {
        check(change.view)
        if (change.view.get('apiSessions', apiSession.id) === undefined) {
          throw new EdgeRefusal('invalidApiSession', 'the API session has ended')
        }
        return findSession(change.view, wanted) ?? change.create('sessions', wanted, { idKind: 'cuid' })
      }))
    return {
      apiSession,
      session,
      told: {
        ...(this.#told.get(from) !== apiSession.id && { apiSession: this.tell(from, apiSession) }),
        ...(session.id !== sessionId && { session: { sessionId: session.id, token: session.id } }),
      },
    }
  }
}

/** What a session is asked for with. */
const methods = { Dial: 'tunnel.create.circuit', Bind: 'tunnel.create.terminator' } as const

type Precedence = TableRows['identities']['defaultHostingPrecedence']

const precedences: Readonly<Record<Precedence, TerminatorPrecedence>> = {
  default: 'Default',
  required: 'Required',
  failed: 'Failed',
}

interface NewApiSession {
  readonly identityId: string
  readonly ipAddress: string
  readonly configTypes: readonly string[]
}

function openApiSession(change: Change, { identityId, ipAddress, configTypes }: NewApiSession): ApiSession {
  return change.create(
    'apiSessions',
    {
      token: randomUUID(),
      identityId,
      ipAddress,
      configTypes: knownConfigTypes(change.view, configTypes),
      lastActivityAt: change.now,
    },
    { idKind: 'cuid' },
  )
}

function findSession(view: View, wanted: Pick<Session, 'apiSessionId' | 'serviceId' | 'type'>): Session | undefined {
  for (const session of view.find('sessions', 'apiSessionId', wanted.apiSessionId)) {
    if (session.serviceId === wanted.serviceId && session.type === wanted.type) return session
  }
  return undefined
}
