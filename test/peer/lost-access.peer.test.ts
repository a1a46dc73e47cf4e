/**
 * What a program on the Go SDK has open through a stock router ends within seconds when what allowed it ends: circuits of
 * those who dial, terminators of those who host. What others have open goes on.
 */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SdkProcess } from '../interop/sdk-process.ts'
import type { Json, Reply } from '../kit/api-client.ts'
import { until } from '../kit/patience.ts'
import { type Member, type SessionKind, sessionKinds, TrafficNetwork } from './traffic-network.ts'

const network = await TrafficNetwork.start({ r1: {} })
after(() => network[Symbol.asyncDispose]())
const host = await network.enroll('host', 'hosts', 'near-r1')
const bystander = await network.enroll('bystander', 'clients', 'near-r1')
await network.service('common')
const commonHost = await network.host(host, 'common')
after(() => commonHost[Symbol.asyncDispose]())

/** From the answer of the API to the end. */
const LIMIT = 10_000

interface Victim {
  readonly member: Member
  readonly apiSessionId: string
  /** Of its access token; there is none with a legacy session. */
  readonly tokenId: string
  readonly serviceId: string
  readonly policyId: string
  /** What its device must pass, if anything. */
  readonly checkId: string | undefined
}

type Loss = (victim: Victim) => Promise<Reply>

const DEVICE_FAILS = 'its device does not pass a check'
const systems: Readonly<Partial<Record<NodeJS.Platform, string>>> = { darwin: 'macOS', win32: 'Windows' }

/** A check that a program runs. */
function runs(path: string): Json {
  return { typeId: 'PROCESS', process: { osType: systems[process.platform] ?? 'Linux', path } }
}

/** What an administrator may do to somebody, whatever the session. */
const losses: Readonly<Record<string, Loss>> = {
  'its policy is deleted': ({ policyId }) => network.admin.delete(`/service-policies/${policyId}`),
  'its policy is for others': ({ policyId }) =>
    network.admin.patch(`/service-policies/${policyId}`, { identityRoles: [`@${host.id}`] }),
  'its identity has other roles': ({ member }) =>
    network.admin.patch(`/identities/${member.id}`, { roleAttributes: ['near-r1', 'nobody'] }),
  'its identity is deleted': ({ member }) => network.admin.delete(`/identities/${member.id}`),
  'its identity is disabled': ({ member }) =>
    network.admin.post(`/identities/${member.id}/disable`, { durationMinutes: 0 }),
  'its certificate is taken away': async ({ member }) => {
    const [authenticator] = await network.admin.list('/authenticators', `identity = "${member.id}"`)
    return network.admin.delete(`/authenticators/${authenticator!['id']}`)
  },
  [DEVICE_FAILS]: ({ checkId }) =>
    network.admin.patch(`/posture-checks/${checkId}`, runs('/this/program/is/not/there')),
  'its service is deleted': ({ serviceId }) => network.admin.delete(`/services/${serviceId}`),
}

const lossesOfKind: Readonly<Record<SessionKind, Readonly<Record<string, Loss>>>> = {
  legacy: {
    'its API session is deleted': ({ apiSessionId }) => network.admin.delete(`/api-sessions/${apiSessionId}`),
    'its session is deleted': async ({ apiSessionId }) => {
      const [session] = await network.admin.list('/sessions', `apiSession = "${apiSessionId}"`)
      return network.admin.delete(`/sessions/${session!['id']}`)
    },
  },
  oidc: {
    'its API session is revoked': ({ apiSessionId }) =>
      network.admin.post('/revocations', { id: apiSessionId, type: 'API_SESSION' }),
    'its access token is revoked': ({ tokenId }) => network.admin.post('/revocations', { id: tokenId, type: 'JTI' }),
    'its identity is revoked': ({ member }) => network.admin.post('/revocations', { id: member.id, type: 'IDENTITY' }),
  },
}

let names = 0

type Prepared = Omit<Victim, 'apiSessionId' | 'tokenId'> & { readonly service: string }

/** Somebody who may dial or host a service of their own; on a device that must pass a check, if that is to be lost. */
async function prepare(type: 'Dial' | 'Bind', loss: string): Promise<Prepared> {
  const service = `service-${++names}`
  const member = await network.enroll(`victim-${names}`, `victim-${names}`, 'near-r1')
  const serviceId = await network.service(service, { roleAttributes: [] })
  const check = { ...runs(network.sdk.program), name: `check-${names}` }
  const checkId = loss === DEVICE_FAILS ? await network.admin.create('posture-checks', check) : undefined
  const checks = checkId === undefined ? [] : [`@${checkId}`]
  const policyId = await network.grant(type, `#victim-${names}`, serviceId, checks)
  return { member, service, serviceId, policyId, checkId }
}

/** Takes something away from whoever runs the program, who has logged in. */
async function takeAway(lose: Loss, who: Omit<Victim, 'apiSessionId' | 'tokenId'>, running: SdkProcess): Promise<void> {
  const { id, tokenId } = await running.tells('authenticated')
  const { status, text } = await lose({ ...who, apiSessionId: String(id), tokenId: String(tokenId) })
  assert.ok(status === 200 || status === 201, text)
}

/** Somebody else who is connected meanwhile, and must not notice. */
async function watch(): Promise<SdkProcess> {
  const watching = network.dial(bystander, 'common', '--exchange', 'hold')
  await watching.tells('holding')
  return watching
}

for (const kind of sessionKinds) {
  const session = ['--session', kind]
  for (const [when, lose] of Object.entries({ ...losses, ...lossesOfKind[kind] })) {
    test(`a circuit ends when ${when} (${kind})`, { timeout: 90_000 }, async () => {
      const { service, ...who } = await prepare('Dial', when)
      await network.grant('Bind', `@${host.id}`, who.serviceId)
      await using hosting = await network.host(host, service)
      await using watching = await watch()
      await using dialled = network.dial(who.member, service, ...session, '--exchange', 'hold')
      await dialled.tells('holding')
      await takeAway(lose, who, dialled)
      await dialled.tells('exchanged', { within: LIMIT })
      await hosting.tells('served', { within: LIMIT })
      const { circuitId } = await dialled.tells('connected')
      assert.equal(await network.pathOf(String(circuitId)), undefined)
      assert.equal(watching.all('exchanged').length, 0, watching.report)
    })
  }

  for (const [when, lose] of Object.entries({ ...losses, ...lossesOfKind[kind] })) {
    test(`a terminator ends when ${when} (${kind})`, { timeout: 90_000 }, async () => {
      const { service, ...who } = await prepare('Bind', when)
      await using watching = await watch()
      await using hosting = await network.host(who.member, service, ...session)
      const terminators = () => network.admin.list('/terminators', `hostId = "${who.member.id}"`)
      const [terminator, ...others] = await terminators()
      assert.deepEqual(others, [])
      await takeAway(lose, who, hosting)
      // Who may log in again comes back with another one.
      const isGone = async () => !(await terminators()).some(({ id }) => id === terminator!['id'])
      await until('the terminator is gone', isGone, { within: LIMIT })
      assert.equal(watching.all('exchanged').length, 0, watching.report)
    })
  }

  /** Who holds a connection while something happens loses it when the policy goes after, or meanwhile. */
  async function losesAfter(happen: (losePolicy: () => Promise<void>) => Promise<void>): Promise<void> {
    await network.router('r1').isOnline(true)
    const { service, ...who } = await prepare('Dial', '')
    await network.grant('Bind', `@${host.id}`, who.serviceId)
    await using hosting = await network.host(host, service)
    await using dialled = network.dial(who.member, service, ...session, '--exchange', 'hold')
    await dialled.tells('holding')
    await happen(async () => {
      assert.equal(dialled.all('exchanged').length, 0, dialled.report)
      await takeAway(losses['its policy is deleted']!, who, dialled)
    })
    await dialled.tells('exchanged', { within: LIMIT })
    await hosting.tells('served', { within: LIMIT })
  }

  test(
    `a circuit ends when its policy is deleted while its router does not listen (${kind})`,
    { timeout: 90_000 },
    () =>
      losesAfter(async (losePolicy) => {
        const router = network.router('r1')
        router.signal('SIGSTOP')
        await losePolicy()
        await sleep(1_000)
        router.signal('SIGCONT')
      }),
  )

  test(
    `a circuit ends when its policy is deleted after a new start of the controller (${kind})`,
    { timeout: 90_000 },
    () =>
      losesAfter(async (losePolicy) => {
        await network.restartController()
        await network.router('r1').isOnline(true)
        await losePolicy()
      }),
  )

  test(
    `a circuit ends when its policy is deleted and the controller starts anew at once (${kind})`,
    { timeout: 90_000 },
    () =>
      losesAfter(async (losePolicy) => {
        network.router('r1').signal('SIGSTOP')
        await losePolicy()
        await network.restartController()
        network.router('r1').signal('SIGCONT')
      }),
  )
}
