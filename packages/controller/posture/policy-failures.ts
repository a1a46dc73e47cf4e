/**
 * Why a session was refused, as administrators read it: for each policy the checks that failed, what they wanted and what
 * the endpoint had reported.
 */
import { type EndpointPosture, mfaStanding } from '@weft/model'
import { timestamp } from '../clock.ts'
import type { PostureCheck } from '../resources/posture-checks.ts'
import type { View } from '../state/view.ts'
import { demandOf } from './demand-of.ts'
import type { PolicyVerdict } from './policy-verdicts.ts'

export function policyFailures(
  view: View,
  verdicts: readonly PolicyVerdict[],
  endpoint: EndpointPosture,
  now: number,
): readonly Readonly<Record<string, unknown>>[] {
  return verdicts.map(({ policy, failing }) => ({
    policyId: policy.id,
    policyName: view.get('servicePolicies', policy.id)?.name ?? '',
    checks: failing.map((check) => ({
      ...compared(check, endpoint, now),
      postureCheckId: check.id,
      postureCheckName: check.name,
      postureCheckType: check.typeId,
    })),
  }))
}

/** What a check wanted beside what there was. */
function compared(check: PostureCheck, endpoint: EndpointPosture, now: number): Readonly<Record<string, unknown>> {
  switch (check.typeId) {
    case 'OS': {
      const { type = '', version = '' } = endpoint.system ?? {}
      return { actualValue: { type, version }, expectedValue: check.operatingSystems }
    }
    case 'DOMAIN':
      return { actualValue: endpoint.domain ?? '', expectedValue: check.domains }
    case 'MAC':
      return { actualValue: endpoint.macAddresses ?? [], expectedValue: check.macAddresses }
    case 'PROCESS':
      return { actualValue: shownProcess(endpoint, check.process?.path ?? ''), expectedValue: check.process }
    case 'PROCESS_MULTI': {
      const reported = check.processes.filter(({ path }) => endpoint.process(path) !== undefined)
      const actualValue = reported.map(({ osType, path }) => ({ osType, path, ...shownProcess(endpoint, path) }))
      const expectedValue = check.processes.map(({ hashes, signerFingerprints, ...process }) => ({
        ...process,
        hashes: orNull(hashes),
        signerFingerprints: orNull(signerFingerprints),
      }))
      return { actualValue, expectedValue, semantic: check.semantic }
    }
    case 'MFA':
      return comparedMfa(check, endpoint, now)
  }
}

function comparedMfa(check: PostureCheck, endpoint: EndpointPosture, now: number): Readonly<Record<string, unknown>> {
  const { timeoutSeconds, promptOnWake, promptOnUnlock } = check
  const { passedAt, wokenAt, unlockedAt } = endpoint.mfa
  const demand = demandOf(check)
  const { dueAt = now } = demand.typeId === 'MFA' ? mfaStanding(demand, endpoint.mfa, now) : {}
  const isTimedOut = passedAt === undefined || (timeoutSeconds > 0 && passedAt + timeoutSeconds * 1000 <= now)
  const isAnswered = (eventAt: number | undefined) =>
    passedAt !== undefined && (eventAt === undefined || eventAt <= passedAt)
  return {
    actualValue: {
      passedMfa: passedAt !== undefined,
      passedOnUnlock: !promptOnUnlock || isAnswered(unlockedAt),
      passedOnWake: !promptOnWake || isAnswered(wokenAt),
      timedOut: isTimedOut,
    },
    criteria: {
      passedMfaAt: shownTime(passedAt),
      timeoutRemainingSeconds: Math.max(0, Math.ceil((dueAt - now) / 1000)),
      timeoutSeconds,
      unlockedAt: shownTime(unlockedAt),
      wokenAt: shownTime(wokenAt),
    },
    expectedValue: { passedMfa: true, passedOnUnlock: promptOnUnlock, passedOnWake: promptOnWake, timedOut: false },
  }
}

function shownProcess(endpoint: EndpointPosture, path: string) {
  const { hash = '', isRunning = false, signerFingerprints = null } = endpoint.process(path) ?? {}
  return { hash, isRunning, signerFingerprints }
}

function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list
}

function shownTime(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : timestamp(milliseconds)
}
