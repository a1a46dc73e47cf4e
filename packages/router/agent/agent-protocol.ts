/**
 * What is said over the agent socket before anything else: a mark, one byte for what is wanted, and what belongs to it.
 *
 *     01 0b 0a 0d 0e 0c 0a 0f 0e 0f 00 00 0d | operation | …
 */
export const requestMark = Buffer.from('010b0a0d0e0c0a0f0e0f00000d', 'hex')

/** The operations, by the bytes of the wire. */
export const agentOperation = {
  stacks: 0x01,
  collectGarbage: 0x02,
  memory: 0x03,
  version: 0x04,
  heapProfile: 0x05,
  cpuProfile: 0x06,
  statistics: 0x07,
  trace: 0x08,
  binary: 0x09,
  appInfo: 0x0a,
  heapDump: 0x0b,
  garbagePercent: 0x10,
  logLevel: 0x11,
  custom: 0x12,
  setChannelLogLevel: 0x13,
  clearChannelLogLevel: 0x14,
  channel: 0x15,
  appInfoWithCapabilities: 0x16,
} as const

/** Which program a request is for. */
export const appId = { any: 0, router: 2 } as const

/** Levels by the byte of the wire. Ours has no level above error. */
export const wireLogLevels = ['error', 'error', 'error', 'warn', 'info', 'debug', 'trace'] as const

/** Why a request was refused; the text is for whoever asked. */
export class AgentRequestError extends Error {
  readonly code = 'AGENT_REQUEST'

  constructor(message: string) {
    super(message)
    this.name = 'AgentRequestError'
  }
}
