import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { beforeEach, describe, test } from 'node:test'
import type { PostureCheck } from '../resources/posture-checks.ts'
import { TestNetwork } from '../resources/test-network.ts'
import type { RowChange } from '../state/view.ts'
import type { Follower } from '../state/writer.ts'
import type { PostureReport } from './posture-report.ts'
import { PostureStore } from './posture-store.ts'

const MINUTE = 60_000
const passedAt = '2026-05-01T12:00:00.000Z'

let now: number
const clock = { now: () => now, monotonic: () => now }
const network = new TestNetwork()
const followers: Follower[] = []

const domain = (name: string): PostureReport => ({ id: 'a check', typeId: 'DOMAIN', domain: name })

function store(options = {}): PostureStore {
  const made = new PostureStore({ clock }, options)
  made.follow({ tables: network.view, writer: { follow: (follower) => void followers.push(follower) as never } })
  return made
}

function createIdentity(values: object = {}): string {
  return network.change((change) => change.create('identities', { name: randomUUID(), ...values }).id)
}

function createSession(identityId: string, values: object = {}): string {
  const row = { identityId, token: randomUUID(), lastActivityAt: passedAt, ...values }
  return network.change((change) => change.create('apiSessions', row).id)
}

function createCheck(values: object): PostureCheck {
  return network.change((change) => change.create('postureChecks', { name: randomUUID(), ...values }))
}

/** Tells the stores that something has ended. */
function end(change: RowChange): void {
  const commit = { index: 1, time: passedAt, cause: { author: { type: '', id: '', name: '' } }, changes: [change] }
  for (const follower of followers) follower([commit])
}

describe('reported posture', () => {
  beforeEach(() => {
    now = Date.parse(passedAt)
    followers.length = 0
  })

  test('is that of the identity that reported it', () => {
    const posture = store()
    const check = createCheck({ typeId: 'DOMAIN', domains: ['corp'] })
    const [one, other] = [createIdentity(), createIdentity()]
    posture.accept(one, 'a session', [domain('CORP')])
    assert.equal(posture.standing(check, one, 'another session').isPassing, true)
    assert.equal(posture.standing(check, other, 'a session').isPassing, false)
    posture.accept(one, 'a session', [domain('elsewhere')])
    assert.equal(posture.standing(check, one, 'a session').isPassing, false)
    assert.deepEqual(posture.dataOf(other).domain, {
      postureCheckId: '',
      timedOut: false,
      lastUpdatedAt: null,
      domain: null,
    })
  })

  test('counts wake and unlock for the session that reported them', () => {
    const posture = store()
    const check = createCheck({ typeId: 'MFA', timeoutSeconds: 3_600, promptOnWake: true })
    const identityId = createIdentity()
    const factor = { isMfaComplete: true, mfaPassedAt: passedAt }
    const [woken, other] = [createSession(identityId, factor), createSession(identityId, factor)]
    now += MINUTE
    posture.accept(identityId, woken, [{ id: '0', typeId: 'ENDPOINT_STATE', woken: true }])
    assert.deepEqual(posture.standing(check, identityId, woken), {
      isPassing: true,
      remaining: 300,
      changedAt: new Date(now).toISOString(),
    })
    assert.equal(posture.standing(check, identityId, other).remaining, 59 * 60)
    now += 5 * MINUTE
    assert.equal(posture.standing(check, identityId, woken).isPassing, false)
    assert.equal(posture.standing(check, identityId, other).isPassing, true)
    assert.equal(posture.standing(check, identityId, undefined).isPassing, false)
  })

  test('without its fields changes nothing and breaks nothing', () => {
    const posture = store()
    const identityId = createIdentity()
    posture.accept(identityId, 'a session', [{ id: '0', typeId: 'ENDPOINT_STATE' }])
    const state = posture.dataOf(identityId).apiSessionPostureData['a session'] as { endpointState: unknown }
    assert.deepEqual(state.endpointState, { wokenAt: null, unlockedAt: null })
  })

  test('tells old endpoints nothing of time where the check spares them', () => {
    const posture = store()
    const check = createCheck({ typeId: 'MFA', timeoutSeconds: 3_600, ignoreLegacyEndpoints: true })
    const factor = { isMfaComplete: true, mfaPassedAt: passedAt }
    for (const [version, remaining] of [
      ['0.24.9', -1],
      ['0.25.0', 3_600],
      ['v1.0.0', 3_600],
    ] as const) {
      const identityId = createIdentity({ sdkInfo: { type: 'ziti-sdk-c', version } })
      const sessionId = createSession(identityId, factor)
      assert.deepEqual(posture.standing(check, identityId, sessionId), { isPassing: true, remaining }, version)
    }
  })

  test('goes with its identity and its session', () => {
    const posture = store()
    const identityId = createIdentity()
    const sessionId = createSession(identityId)
    posture.accept(identityId, sessionId, [{ id: '0', typeId: 'ENDPOINT_STATE', woken: true }, domain('corp')])
    end({ table: 'apiSessions', id: sessionId, before: network.view.get('apiSessions', sessionId), after: undefined })
    assert.deepEqual(posture.dataOf(identityId).apiSessionPostureData, {})
    assert.equal(posture.dataOf(identityId).domain.domain, 'corp')
    end({ table: 'identities', id: identityId, before: network.view.get('identities', identityId), after: undefined })
    assert.equal(posture.dataOf(identityId).domain.domain, null)
  })

  test('is forgotten when there is too much of it, the oldest first', () => {
    const posture = store({ mostCharacters: 2_000 })
    const [first, second, third] = [createIdentity(), createIdentity(), createIdentity()]
    posture.accept(first, 's', [domain('a'.repeat(600))])
    posture.accept(second, 's', [domain('b'.repeat(600))])
    posture.accept(first, 's', [domain('c'.repeat(600))])
    const revision = posture.revisionOf(second)
    posture.accept(third, 's', [domain('d'.repeat(600))])
    assert.deepEqual(
      [first, second, third].map((id) => posture.dataOf(id).domain.domain?.[0]),
      ['c', undefined, 'd'],
    )
    assert.notEqual(posture.revisionOf(second), revision)
  })

  test('holds the newest processes and refusals of an identity, and no more', () => {
    const posture = store()
    const identityId = createIdentity()
    for (let number = 0; number < 300; number++) {
      const process = { isRunning: true, hash: 'AB', signerFingerprints: ['CD'] }
      posture.accept(identityId, 's', [{ id: '0', typeId: 'PROCESS', path: `/bin/${number}`, ...process }])
      const refused = { apiSessionId: 's', serviceId: 's', serviceName: 's', sessionType: 'Dial', policyFailures: [] }
      posture.addFailure(identityId, { when: String(number), ...refused })
    }
    const { processes } = posture.dataOf(identityId)
    assert.equal(processes.length, 256)
    assert.deepEqual([processes[0]!.binaryHash, processes[0]!.signerFingerprints], ['ab', ['cd']])
    const failures = posture.failedRequestsOf(identityId)
    assert.deepEqual([failures.length, failures[0]!.when, failures.at(-1)!.when], [100, '200', '299'])
  })
})
