/** Endpoints that cannot be asked for a code while they run: every SDK but the C SDK from 0.25.0 on. */
import { compareVersions, parseVersion } from '@weft/model'

const PROMPTING_SDK = 'ziti-sdk-c'
const firstPrompting = parseVersion('0.25.0')!

export function isLegacyEndpoint(sdkInfo: Readonly<Record<string, string>>): boolean {
  if (sdkInfo['type'] !== PROMPTING_SDK) return true
  const version = parseVersion((sdkInfo['version'] ?? '').replace(/^v/, ''))
  return version === undefined || compareVersions(version, firstPrompting) < 0
}
