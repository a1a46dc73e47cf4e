/** The vocabulary both sides of the network share. */

export { builtInConfigTypes } from './config-types/built-in-config-types.ts'
export type { BuiltInConfigType, ConfigTarget } from './config-types/config-type.ts'
export { type CompiledSchema, compileSchema } from './json-schema/compile-schema.ts'
export type { JsonObject, JsonValue } from './json-schema/json-value.ts'
export { SchemaError, schemaErrorCodes } from './json-schema/schema-error.ts'
export { schemaLimits } from './json-schema/schema-limits.ts'
export {
  type AccessPolicy,
  type AccessView,
  type Advice,
  advise,
  grantingPolicies,
  mayAccess,
  type PolicyKind,
  type PolicyLookup,
  policiesSelecting,
  policyLookup,
  policyMembers,
  related,
  routersOfIdentity,
  routersOfService,
  type SelectedKind,
  type ServiceAccess,
} from './policies/access.ts'
export { type Candidates, type Semantic, selected, selects } from './policies/role-selection.ts'
export { hexDigits, meetsDemand } from './posture/meets-demand.ts'
export { type MfaStanding, mfaStanding, promptGraceMilliseconds, withEndpointEvents } from './posture/mfa-standing.ts'
export type {
  EndpointPosture,
  MfaDemand,
  MfaState,
  PostureDemand,
  ProcessDemand,
  ReportedProcess,
  SystemDemand,
} from './posture/posture-demand.ts'
export { builtInPostureCheckTypes, type PostureCheckType } from './posture-check-types.ts'
export { SearchPattern, SearchPatternError } from './search-pattern.ts'
export { compareVersions, parseVersion, type SemanticVersion } from './semantic-version.ts'
export { parseVersionRange, type VersionRange } from './version-range.ts'
