/**
 * The router data model: everything a router must know to decide on its own who may dial and host what.
 *
 * It travels as a whole (`DataState`) or as what one transaction changed (`ChangeSet`); both are lists of events. The
 * receiver links references while it applies them, so order matters: see the sender.
 */
import { defineMessage, type MessageOf, map, oneof, repeated } from '../protobuf/message-type.ts'
import { bool, bytes, enumeration, type NamesOf, safeInt64, safeUint64, text, uint32 } from '../protobuf/scalars.ts'
import { timestamp } from '../protobuf/timestamp.ts'
import { terminatorPrecedence } from './precedence.ts'

/** A full state lists every identity of every policy. */
const maxItems = 5_000_000

export const dataAction = enumeration('Action', { Create: 0, Update: 1, Delete: 2 })
export const policyType = enumeration('PolicyType', { InvalidPolicy: 0, DialPolicy: 1, BindPolicy: 2 })
export const relatedEntityType = enumeration('ServicePolicyRelatedEntityType', {
  InvalidRelatedType: 0,
  RelatedService: 1,
  RelatedIdentity: 2,
  RelatedPostureCheck: 3,
})
export const publicKeyUsage = enumeration('Usage', { JWTValidation: 0, ClientX509CertValidation: 1 })
export const publicKeyFormat = enumeration('Format', { X509CertDer: 0, PKIXPublicKey: 1 })

export const configType = defineMessage('ConfigType', {
  id: [1, text],
  name: [2, text],
  /** `service`, `router`, `other` or empty. */
  target: [3, text],
})

export const config = defineMessage('Config', {
  id: [1, text],
  typeId: [2, text],
  name: [3, text],
  dataJson: [4, text],
})

const serviceConfigs = defineMessage('ServiceConfigs', {
  /** Config ids by the id of their type. */
  configs: [1, map(text, text)],
})

export const identity = defineMessage('Identity', {
  id: [1, text],
  name: [2, text],
  defaultHostingPrecedence: [3, terminatorPrecedence],
  defaultHostingCost: [4, uint32],
  /** These three by service id. */
  serviceHostingPrecedences: [5, map(text, terminatorPrecedence)],
  serviceHostingCosts: [6, map(text, uint32)],
  appDataJson: [7, bytes],
  serviceConfigs: [8, map(text, serviceConfigs)],
  disabled: [9, bool],
})

export const service = defineMessage('Service', {
  id: [1, text],
  name: [2, text],
  encryptionRequired: [3, bool],
  configs: [4, repeated(text)],
})

export const router = defineMessage('Router', {
  id: [1, text],
  name: [2, text],
  /** Empty until it has enrolled. */
  fingerprint: [3, text],
  configs: [4, repeated(text)],
  disabled: [5, bool],
})

export const servicePolicy = defineMessage('ServicePolicy', {
  id: [1, text],
  name: [2, text],
  policyType: [3, policyType],
})

/** Members that a policy gained or lost. The action of its event has no meaning. */
export const servicePolicyChange = defineMessage('ServicePolicyChange', {
  policyId: [1, text],
  relatedEntityIds: [2, repeated(text)],
  relatedEntityType: [3, relatedEntityType],
  add: [4, bool],
})

export const revocation = defineMessage('Revocation', {
  id: [1, text],
  expiresAt: [2, timestamp],
  /** `API_SESSION`, `IDENTITY` or `JTI`. */
  type: [3, text],
  /** For identities: only sessions issued before it are revoked; absent = all. */
  issuedBefore: [4, timestamp],
})

export const publicKey = defineMessage('PublicKey', {
  data: [1, bytes],
  /** SHA-1 of the DER, in hexadecimal digits. */
  kid: [2, text],
  usages: [3, repeated(publicKeyUsage)],
  format: [4, publicKeyFormat],
})

const checkedProcess = defineMessage('Process', {
  osType: [1, text],
  path: [2, text],
  hashes: [3, repeated(text)],
  fingerprints: [4, repeated(text)],
})

const operatingSystem = defineMessage('Os', { osType: [1, text], osVersions: [2, repeated(text)] })

const mfa = defineMessage('Mfa', {
  timeoutSeconds: [1, safeInt64],
  promptOnWake: [2, bool],
  promptOnUnlock: [3, bool],
  ignoreLegacyEndpoints: [4, bool],
})

export const postureCheck = defineMessage('PostureCheck', {
  id: [1, text],
  name: [2, text],
  typeId: [4, text],
  subtype: oneof({
    mac: [7, defineMessage('Mac', { macAddresses: [1, repeated(text)] })],
    mfa: [8, mfa],
    osList: [9, defineMessage('OsList', { osList: [1, repeated(operatingSystem)] })],
    process: [10, checkedProcess],
    processMulti: [
      11,
      defineMessage('ProcessMulti', { semantic: [1, text], processes: [2, repeated(checkedProcess)] }),
    ],
    domains: [12, defineMessage('Domains', { domains: [1, repeated(text)] })],
  }),
})

export const dataEvent = defineMessage('Event', {
  action: [1, dataAction],
  isSynthetic: [3, bool],
  model: oneof({
    identity: [10, identity],
    service: [11, service],
    servicePolicy: [12, servicePolicy],
    postureCheck: [13, postureCheck],
    publicKey: [14, publicKey],
    revocation: [15, revocation],
    servicePolicyChange: [16, servicePolicyChange],
    configType: [17, configType],
    config: [18, config],
    router: [19, router],
  }),
})

export const changeSet = defineMessage(
  'ChangeSet',
  {
    index: [1, safeUint64],
    /** Applied without moving the receiver's index. */
    isSynthetic: [2, bool],
    changes: [3, repeated(dataEvent)],
    timestampId: [4, text],
    /** The index of the change set before it; 0 = unknown. */
    previousIndex: [5, safeUint64],
  },
  { maxItems },
)

export const dataState = defineMessage(
  'DataState',
  {
    events: [1, repeated(dataEvent)],
    endIndex: [2, safeUint64],
    timelineId: [3, text],
    /** What a router keeps beside the model in its own file; never sent. */
    caches: [4, map(text, defineMessage('Cache', { data: [1, map(text, bytes)] }))],
  },
  { maxItems },
)

export type DataState = MessageOf<typeof dataState>
export type ChangeSet = MessageOf<typeof changeSet>
export type DataEvent = MessageOf<typeof dataEvent>
export type DataConfigType = MessageOf<typeof configType>
export type DataConfig = MessageOf<typeof config>
export type DataIdentity = MessageOf<typeof identity>
export type DataService = MessageOf<typeof service>
export type DataRouter = MessageOf<typeof router>
export type DataServicePolicy = MessageOf<typeof servicePolicy>
export type DataServicePolicyChange = MessageOf<typeof servicePolicyChange>
export type DataRevocation = MessageOf<typeof revocation>
export type DataPublicKey = MessageOf<typeof publicKey>
export type DataPostureCheck = MessageOf<typeof postureCheck>
export type DataAction = NamesOf<typeof dataAction>
export type PolicyType = NamesOf<typeof policyType>
export type RelatedEntityType = NamesOf<typeof relatedEntityType>
