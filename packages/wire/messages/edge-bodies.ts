/** The bodies of the messages between SDK and edge router that have one in protobuf: posture and subscriptions. */
import { defineMessage, type MessageOf, oneof, repeated } from '../protobuf/message-type.ts'
import { bool, enumeration, int32, int64, type NamesOf, safeInt64, safeUint64, text } from '../protobuf/scalars.ts'
import { timestamp } from '../protobuf/timestamp.ts'
import { sdkInfo } from './sdk-info.ts'

const runningProcess = defineMessage('Process', {
  path: [1, text],
  isRunning: [2, bool],
  hash: [3, text],
  signerFingerprints: [4, repeated(text)],
})

const operatingSystem = defineMessage('OperatingSystem', { type: [1, text], version: [2, text], build: [3, text] })

const postureResponse = defineMessage('PostureResponse', {
  type: oneof({
    macs: [1, defineMessage('Macs', { addresses: [1, repeated(text)] })],
    os: [2, operatingSystem],
    /** Replaces the list before it. */
    processList: [3, defineMessage('ProcessList', { processes: [1, repeated(runningProcess)] })],
    domain: [4, defineMessage('Domain', { name: [1, text] })],
    woken: [5, defineMessage('Woken', { time: [1, timestamp] })],
    unlocked: [6, defineMessage('Unlocked', { time: [1, timestamp] })],
    sdkInfo: [7, sdkInfo],
    totpToken: [8, defineMessage('TotpToken', { token: [1, text], code: [2, text] })],
  }),
})

export const postureResponses = defineMessage('PostureResponses', { responses: [1, repeated(postureResponse)] })

/** The index is -1: everything. */
export const subscribeToServiceUpdates = defineMessage('SubscribeToServiceUpdates', { index: [1, int64] })

const op = enumeration('Op', { Added: 0, Updated: 1, Removed: 2 })

const configData = defineMessage('ConfigData', { typeId: [1, text], typeName: [2, text], dataJson: [3, text] })

const serviceDef = defineMessage('ServiceDef', {
  op: [1, op],
  id: [2, text],
  name: [3, text],
  encryptionRequired: [4, bool],
  configs: [5, repeated(text)],
  policyIds: [6, repeated(text)],
  configData: [7, repeated(configData)],
})

const policyDef = defineMessage('PolicyDef', {
  op: [1, op],
  id: [2, text],
  type: [3, enumeration('PolicyType', { Dial: 0, Bind: 1 })],
  postureCheckIds: [4, repeated(text)],
})

const postureCheckDef = defineMessage('PostureCheckDef', {
  op: [1, op],
  id: [2, text],
  type: [3, text],
  promptGracePeriodSeconds: [4, int32],
  promptOnUnlock: [5, bool],
  promptOnWake: [6, bool],
  semantic: [7, text],
  processes: [8, repeated(defineMessage('Process', { osType: [1, text], path: [2, text] }))],
  /** -1 = never, 0 = unknown. */
  timeoutSeconds: [9, safeInt64],
})

export const serviceChangeSet = defineMessage(
  'ServiceChangeSet',
  {
    index: [1, safeInt64],
    /** -1: this is everything. */
    previousIndex: [2, safeInt64],
    services: [3, repeated(serviceDef)],
    policies: [4, repeated(policyDef)],
    postureChecks: [5, repeated(postureCheckDef)],
  },
  { maxItems: 1_000_000 },
)

const checkState = defineMessage('CheckState', {
  checkId: [1, text],
  isPassing: [2, bool],
  timeoutAt: [3, timestamp],
  timeoutRemainingSeconds: [4, int32],
})

const policyState = defineMessage('PolicyState', { policyId: [1, text], isPassing: [2, bool] })

export const postureStateChange = defineMessage('PostureStateChange', {
  /** Counts from 1 on each connection. */
  seq: [1, safeUint64],
  structuralIndex: [2, safeUint64],
  generatedAt: [4, timestamp],
  checkStates: [5, repeated(checkState)],
  policyStates: [6, repeated(policyState)],
})

export type PostureResponse = MessageOf<typeof postureResponse>
export type ServiceChangeSet = MessageOf<typeof serviceChangeSet>
export type ServiceDef = MessageOf<typeof serviceDef>
export type PolicyDef = MessageOf<typeof policyDef>
export type PostureCheckDef = MessageOf<typeof postureCheckDef>
export type ChangeOperation = NamesOf<typeof op>
export type PostureStateChange = MessageOf<typeof postureStateChange>
