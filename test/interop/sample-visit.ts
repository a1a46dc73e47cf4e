/** A small network, and visits to it that must find all of it in place. */
import assert from 'node:assert/strict'
import { enrollRouter } from '@weft/pki'
import type { Json } from '../kit/api-client.ts'
import type { Caller, InteropNetwork, SessionKind } from './interop-network.ts'
import type { Answer, SdkTold } from './sdk-client.ts'

const hostV1 = 'NH5p4FpGR'
const webConfig = { address: 'localhost', port: 80, protocol: 'tcp' }

/** Users reach `web` and host `db`, by one router that has enrolled and is not there. */
export async function buildSample({ admin }: InteropNetwork): Promise<void> {
  const config = await admin.create('configs', { name: 'web', configTypeId: hostV1, data: webConfig })
  const web = await admin.create('services', { name: 'web', encryptionRequired: true, configs: [config] })
  const db = await admin.create('services', { name: 'db', encryptionRequired: false })
  await admin.create('services', { name: 'hidden', encryptionRequired: true })
  const users = { semantic: 'AnyOf', identityRoles: ['#users'] }
  await admin.create('service-policies', { ...users, name: 'dial', type: 'Dial', serviceRoles: [`@${web}`] })
  await admin.create('service-policies', { ...users, name: 'bind', type: 'Bind', serviceRoles: [`@${db}`] })
  const router = await admin.create('edge-routers', { name: 'router' })
  await enrollRouter(String((await admin.detail(`/edge-routers/${router}`))['enrollmentJwt']))
  const everyRouter = { semantic: 'AnyOf', edgeRouterRoles: ['#all'] }
  await admin.create('edge-router-policies', { ...everyRouter, name: 'users', identityRoles: ['#users'] })
  await admin.create('service-edge-router-policies', { ...everyRouter, name: 'services', serviceRoles: ['#all'] })
}

/** Visits with a session of a kind, judges all that a user is told, and answers it. */
export async function visitSample(
  { client }: InteropNetwork,
  kind: SessionKind,
  { id, flags }: Caller,
  answer?: Answer,
): Promise<SdkTold> {
  const wanted = ['--session', kind, '--config-types', 'all', '--dial', 'web', '--bind', 'db']
  const told = await client.tells(['visit', ...flags, ...wanted], answer)
  const authenticated = told.one('authenticated')
  assert.partialDeepStrictEqual(authenticated, { kind, identityId: id })
  assert.partialDeepStrictEqual(told.one('identity'), { id })
  const refreshed = told.one('refreshed')
  assert.partialDeepStrictEqual(refreshed, { kind, id: authenticated['id'], isNewToken: kind === 'oidc' })
  assert.ok(Date.parse(String(refreshed['expiresAt'])) > Date.now())
  judgeServices(told.one('services')['services'] as Json[])
  assert.deepEqual(told.one('edge-routers')['routers'], [{ name: 'router', isOnline: false }])
  const session = { routers: ['router'], isSameAgain: true, routersAgain: ['router'], terminators: 0 }
  assert.partialDeepStrictEqual(told.all('session'), [
    { ...session, type: 'Dial', service: 'web' },
    { ...session, type: 'Bind', service: 'db' },
  ])
  return told
}

function judgeServices(services: readonly Json[]): void {
  const { web, db, ...others } = Object.fromEntries(services.map((service) => [service['name'], service]))
  assert.deepEqual(others, {})
  const configs = { 'host.v1': webConfig }
  assert.partialDeepStrictEqual(web, { permissions: ['Dial'], encryptionRequired: true, postureQueries: 0, configs })
  assert.partialDeepStrictEqual(db, { permissions: ['Bind'], encryptionRequired: false, configs: {} })
}
