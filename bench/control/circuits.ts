/**
 * What circuits cost: routers ask for them with the session of a client, and answer the route that they get at once. Half
 * of the routers host the service, so every circuit has a path of its own choosing over the mesh.
 */
import { randomBytes } from 'node:crypto'
import type { Contender } from '../contender.ts'
import { LoadConnection } from '../load/connection.ts'
import { usageOf } from '../process-usage.ts'
import type { Round } from '../rounds.ts'
import { type Fleet, until } from './fleet.ts'

const CLIENT_API = '/edge/client/v1'
/** Requests that wait for their circuit at one time. */
const AT_ONE_TIME = 32
const MOST_HOSTS = 20

/** What a router shows for its client. */
export interface DialSession {
  readonly apiSessionToken: string
  readonly sessionToken: string
}

/** A service that every router may serve, hosted by some, and somebody who dials it. */
export async function openSession(fleet: Fleet, label: string, hosts: readonly string[]): Promise<DialSession> {
  const { contender } = fleet
  const create = async (collection: string, body: object) => {
    const named = { name: `circuits-${label}`, ...body }
    return (await contender.call<{ id: string }>('POST', `/${collection}`, named)).data.id
  }
  const service = await create('services', { encryptionRequired: false })
  const identity = await create('identities', { type: 'Default', isAdmin: false })
  const credentials = { username: `circuits-${label}`, password: `password-${label}` }
  await contender.call('POST', '/authenticators', { method: 'updb', identityId: identity, ...credentials })
  const [identityRoles, serviceRoles] = [[`@${identity}`], [`@${service}`]]
  await create('service-policies', { type: 'Dial', semantic: 'AnyOf', identityRoles, serviceRoles })
  await create('edge-router-policies', { semantic: 'AnyOf', identityRoles, edgeRouterRoles: ['#all'] })
  await create('service-edge-router-policies', { semantic: 'AnyOf', serviceRoles, edgeRouterRoles: ['#all'] })
  for (const router of hosts.slice(0, MOST_HOSTS)) {
    const address = `tcp:${randomBytes(4).toString('hex')}.example:1`
    await contender.call('POST', '/terminators', { service, router, binding: 'transport', address })
  }
  return await dialSession(contender, credentials, service)
}

async function dialSession(contender: Contender, credentials: object, serviceId: string): Promise<DialSession> {
  using connection = await LoadConnection.open(contender.endpoint, { keepsBody: true })
  const token = async (request: string) => {
    const { status, body } = await connection.ask(request)
    if (status < 200 || status > 299) throw new Error(`${contender.name}: no session: ${status} ${body}`)
    return (JSON.parse(body) as { data: { token: string } }).data.token
  }
  const login = JSON.stringify(credentials)
  const apiSessionToken = await token(
    contender.anonymousRequest('POST', `${CLIENT_API}/authenticate?method=password`, login),
  )
  const wanted = JSON.stringify({ serviceId, type: 'Dial' })
  const sessionToken = await token(contender.requestOf(apiSessionToken, 'POST', `${CLIENT_API}/sessions`, wanted))
  return { apiSessionToken, sessionToken }
}

/** Circuits for so many milliseconds, each asked for by the next router. They are ended again. */
export async function createCircuits(fleet: Fleet, session: DialSession, milliseconds: number): Promise<Round> {
  const { contender, routers } = fleet
  const latencies: number[] = []
  const made: { readonly circuitId: string; readonly at: number }[] = []
  let refused = 0
  let nth = 0
  const cpu = usageOf(contender.pid).cpuSeconds
  const began = performance.now()
  const workers = Array.from({ length: AT_ONE_TIME }, async () => {
    for (let asked = began; asked < began + milliseconds; asked = performance.now()) {
      const at = nth++ % routers.length
      const { name, message } = await routers[at]!.request('createCircuitV2', session)
      if (name === 'createCircuitV2Response') {
        latencies.push(performance.now() - asked)
        made.push({ circuitId: message.circuitId, at })
      } else if (contender.isOurs) throw new Error(`no circuit: ${message.body.toString()}`)
      else refused++
    }
  })
  await Promise.all(workers)
  const seconds = (performance.now() - began) / 1_000
  const cpuSeconds = usageOf(contender.pid).cpuSeconds - cpu
  for (const { circuitId, at } of made) {
    await routers[at]!.tell('fault', { body: { subject: 'IngressFault', id: circuitId, iteration: 0 } })
  }
  using connection = await LoadConnection.open(contender.endpoint, { keepsBody: true })
  await until('all circuits have ended', async () => {
    const { meta } = await contender.callOn(connection, 'GET', '/fabric/v1/circuits?limit=1')
    return meta.pagination!.totalCount === 0
  })
  return { latencies, seconds, cpuSeconds, refused }
}
