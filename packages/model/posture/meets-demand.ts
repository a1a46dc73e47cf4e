/**
 * Whether an endpoint meets what a posture check demands.
 *
 * What was not reported does not meet anything, and no report makes judging throw: reports come from the endpoint.
 */
import { parseVersionRange } from '../version-range.ts'
import { mfaStanding } from './mfa-standing.ts'
import type { EndpointPosture, PostureDemand, ProcessDemand, SystemDemand } from './posture-demand.ts'

/** `now` is in milliseconds since the epoch. */
export function meetsDemand(demand: PostureDemand, posture: EndpointPosture, now: number): boolean {
  switch (demand.typeId) {
    case 'OS':
      return isOneOfSystems(demand.operatingSystems, posture.system)
    case 'DOMAIN':
      return posture.domain !== undefined && includesText(demand.domains, posture.domain)
    case 'MAC': {
      const wanted = new Set(demand.macAddresses.map(hexDigits))
      return (posture.macAddresses ?? []).map(hexDigits).some((address) => address !== '' && wanted.has(address))
    }
    case 'PROCESS':
      return isProcessMet(demand.process, posture)
    case 'PROCESS_MULTI': {
      const { processes, semantic } = demand
      if (semantic === 'AnyOf') return processes.some((process) => isProcessMet(process, posture))
      return processes.length > 0 && processes.every((process) => isProcessMet(process, posture))
    }
    case 'MFA':
      return mfaStanding(demand, posture.mfa, now).isPassing
  }
}

function isOneOfSystems(wanted: readonly SystemDemand[], system: EndpointPosture['system']): boolean {
  if (system === undefined) return false
  return wanted.some(({ type, versions }) => {
    if (type.toLowerCase() !== system.type.toLowerCase()) return false
    if (versions === null || versions.length === 0) return true
    return versions.some((range) => parseVersionRange(range).range?.matches(system.version) ?? false)
  })
}

function isProcessMet({ path, hashes, signerFingerprints }: ProcessDemand, posture: EndpointPosture): boolean {
  const process = posture.process(path)
  if (process?.isRunning !== true) return false
  const wantedHashes = hashes.filter((hash) => hash !== '')
  if (wantedHashes.length > 0 && !includesText(wantedHashes, process.hash)) return false
  const signers = signerFingerprints.filter((signer) => signer !== '')
  return signers.length === 0 || process.signerFingerprints.some((signer) => includesText(signers, signer))
}

/** Whether a text is among others, in upper or lower case. */
function includesText(texts: readonly string[], text: string): boolean {
  const wanted = text.toLowerCase()
  return texts.some((candidate) => candidate.toLowerCase() === wanted)
}

/** The digits of a hardware address, however they are written. */
export function hexDigits(address: string): string {
  return address.toLowerCase().replace(/[^0-9a-f]/g, '')
}
