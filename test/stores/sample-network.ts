/** A small network with one of everything that a store can hold, made through the API. */
import assert from 'node:assert/strict'
import { ApiClient, type Json } from '../kit/api-client.ts'
import type { ControllerProcess } from '../kit/controller-process.ts'
import { specimens } from '../kit/specimens.ts'
import { totpCode } from '../kit/totp.ts'

/** Credentials that open nothing but the sample. */
export interface SampleSecrets {
  readonly username: string
  readonly password: string
  readonly totpSeed: string
}

/** The collections whose content is the same whenever the sample is opened again. */
export const keptCollections = [
  ...[
    'auth-policies',
    'authenticators',
    'cas',
    'config-types',
    'configs',
    'controller-settings',
    'edge-router-policies',
  ],
  ...['edge-routers', 'enrollments', 'external-jwt-signers', 'identities', 'posture-checks', 'routers', 'services'],
  ...['service-edge-router-policies', 'service-policies', 'terminators', 'transit-routers'],
]

export async function makeSampleNetwork(controller: ControllerProcess, admin: ApiClient): Promise<SampleSecrets> {
  const created: Record<string, string> = {}
  for (const [collection, specimen] of Object.entries(specimens)) {
    const body = { ...(await specimen(`sample ${collection}`)), tags: { kind: collection, number: 1.5, yes: true } }
    created[collection] = await admin.create(collection, body)
  }
  const { identities: identityId, services: serviceId, configs: configId } = created
  await makePostureChecks(admin)
  const router = await admin.create('edge-routers', {
    name: 'tunneler',
    isTunnelerEnabled: true,
    roleAttributes: ['eu'],
  })
  await admin.create('terminators', {
    ...{
      service: serviceId,
      router,
      binding: 'transport',
      address: 'tcp:localhost:80',
      cost: 7,
      precedence: 'required',
    },
  })
  await changed(admin, 'POST', `/identities/${identityId}/service-configs`, [{ serviceId, configId }])
  const invited = { name: 'invited', type: 'Device', isAdmin: true, enrollment: { ott: true }, externalId: 'ext-7' }
  await admin.create('identities', { ...invited, roleAttributes: ['a', 'b'], appData: { nested: { deep: [1, null] } } })
  const locked = await admin.create('identities', { name: 'locked', type: 'User', isAdmin: false })
  await changed(admin, 'POST', `/identities/${locked}/disable`, { durationMinutes: 0 })
  await changed(admin, 'PATCH', `/services/${serviceId}`, { name: 'renamed service', roleAttributes: ['x'] })
  const gone = await admin.create('services', { name: 'deleted service', encryptionRequired: false })
  await changed(admin, 'DELETE', `/services/${gone}`)
  return makeUser(controller, admin)
}

async function makePostureChecks(admin: ApiClient): Promise<void> {
  const process = { osType: 'Linux', path: '/bin/true', hashes: [], signerFingerprint: '' }
  const checks: Json[] = [
    { typeId: 'OS', operatingSystems: [{ type: 'Linux', versions: ['>=5.0.0'] }] },
    { typeId: 'MAC', macAddresses: ['001122334455'] },
    { typeId: 'MFA', timeoutSeconds: 600, promptOnWake: true },
    { typeId: 'PROCESS', process },
    { typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes: [{ osType: 'Linux', path: '/bin/true' }] },
  ]
  for (const check of checks) {
    await admin.create('posture-checks', { name: `check ${check['typeId']}`, roleAttributes: ['strict'], ...check })
  }
}

/** Somebody who logs in with a password and a second factor. */
async function makeUser(controller: ControllerProcess, admin: ApiClient): Promise<SampleSecrets> {
  const login = { username: 'sample-user', password: 'sample-password' }
  const grants = { permissions: ['service.read', 'config'] }
  const id = await admin.create('identities', { name: 'sample user', type: 'User', isAdmin: false, ...grants })
  await admin.create('authenticators', { method: 'updb', identityId: id, ...login })
  using user = await ApiClient.login(controller, login)
  await changed(user, 'POST', '/current-identity/mfa')
  const { provisioningUrl } = (await user.detail('/current-identity/mfa')) as { provisioningUrl: string }
  const totpSeed = new URL(provisioningUrl).searchParams.get('secret')!
  await changed(user, 'POST', '/current-identity/mfa/verify', { code: totpCode(totpSeed) })
  return { ...login, totpSeed }
}

async function changed(client: ApiClient, method: string, path: string, body?: unknown): Promise<void> {
  const { status, text } = await client.request(method, path, body)
  assert.ok(status === 200 || status === 201, `${method} ${path}: ${text}`)
}

/** What the API shows of everything that is kept, without what depends on who is logged in. */
export async function shownNetwork(admin: ApiClient): Promise<Record<string, Json[]>> {
  const shown: Record<string, Json[]> = {}
  for (const collection of keptCollections) {
    const rows = await admin.list(`/${collection}`)
    shown[collection] = rows.map(({ hasApiSession: _depends, ...row }) => row)
  }
  return shown
}
