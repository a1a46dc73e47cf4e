/** What a stored posture check demands, as judging wants to see it. */
import type { PostureDemand } from '@weft/model'
import type { PostureCheck } from '../resources/posture-checks.ts'

export function demandOf(check: PostureCheck): PostureDemand {
  const { typeId } = check
  switch (typeId) {
    case 'OS':
      return { typeId, operatingSystems: check.operatingSystems }
    case 'DOMAIN':
      return { typeId, domains: check.domains }
    case 'MAC':
      return { typeId, macAddresses: check.macAddresses }
    case 'PROCESS': {
      // A check without its process demands one that nobody can show.
      if (check.process === null) return { typeId: 'PROCESS_MULTI', semantic: 'AnyOf', processes: [] }
      const { path, hashes, signerFingerprint } = check.process
      const signerFingerprints = signerFingerprint === undefined ? [] : [signerFingerprint]
      return { typeId, process: { path, hashes: hashes ?? [], signerFingerprints } }
    }
    case 'PROCESS_MULTI':
      return { typeId, semantic: check.semantic === 'AnyOf' ? 'AnyOf' : 'AllOf', processes: check.processes }
    case 'MFA': {
      const { timeoutSeconds, promptOnWake, promptOnUnlock } = check
      return { typeId, timeoutSeconds, promptOnWake, promptOnUnlock }
    }
  }
}
