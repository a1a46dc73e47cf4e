/**
 * The operations that are answered in text and then end: one for each byte of the protocol. What Go's runtime has and
 * this one has not is said in a line, so that whoever asks is not left with silence.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { CpuProfile } from '../profile/cpu-profile.ts'
import { HeapProfile } from '../profile/heap-profile.ts'
import { activityText, memoryText, statisticsText } from '../profile/process-facts.ts'
import { AgentRequestError, agentOperation, appId, wireLogLevels } from './agent-protocol.ts'
import type { RequestReader } from './request-reader.ts'
import type { RouterOperations } from './router-operations.ts'

/** What the router is called, for lists of running programs. */
export interface AgentApp {
  readonly id: string
  readonly alias: string
  readonly version: string
}

/** The one log level of the process. */
export interface LogLevels {
  setLevel(level: 'trace' | 'debug' | 'info' | 'warn' | 'error'): void
}

export interface AnswerDeps {
  readonly app: AgentApp
  readonly log: LogLevels
  readonly operations: RouterOperations
}

export type Answer = (reader: RequestReader, deps: AnswerDeps, signal: AbortSignal) => Promise<string> | string

const cpuProfileMilliseconds = 30_000
const heapProfileMilliseconds = 5_000
const dumpApiSessions = 128
export const agentCapabilities = ['logging.slog-levels'] as const
const oneLevel = 'this router has one log level; set that\n'

const appInfo = ({ app }: AnswerDeps) => ({ type: 'router', ...withoutEmpty(app) })

export const agentAnswers: ReadonlyMap<number, Answer> = new Map<number, Answer>([
  [agentOperation.stacks, activityText],
  [agentOperation.collectGarbage, collectGarbage],
  [agentOperation.memory, memoryText],
  [agentOperation.version, () => `node ${process.version}\n`],
  [agentOperation.heapProfile, heapProfile],
  [agentOperation.cpuProfile, cpuProfile],
  [agentOperation.statistics, statisticsText],
  [agentOperation.trace, () => 'there is no execution trace here; a CPU profile may help\n'],
  [agentOperation.binary, () => 'the program is not a single file\n'],
  [agentOperation.heapDump, () => 'a heap dump would hold keys and tokens; a heap profile may help\n'],
  [
    agentOperation.garbagePercent,
    async (reader) => `not changed to ${await reader.varint()}: memory is managed by itself\n`,
  ],
  [agentOperation.appInfo, (_reader, deps) => JSON.stringify(appInfo(deps))],
  [
    agentOperation.appInfoWithCapabilities,
    (_reader, deps) =>
      JSON.stringify({ ...appInfo(deps), agent_capabilities: agentCapabilities, app_capabilities: [] }),
  ],
  [agentOperation.logLevel, setLogLevel],
  [agentOperation.setChannelLogLevel, () => oneLevel],
  [agentOperation.clearChannelLogLevel, () => oneLevel],
  [agentOperation.custom, custom],
])

async function setLogLevel(reader: RequestReader, { log }: AnswerDeps): Promise<string> {
  const byte = await reader.byte()
  const level = wireLogLevels[byte]
  if (level === undefined) throw new AgentRequestError(`invalid log level ${byte}`)
  log.setLevel(level)
  return `log level set to ${level}\n`
}

async function custom(reader: RequestReader, { operations }: AnswerDeps): Promise<string> {
  if ((await reader.byte()) !== appId.router) throw new AgentRequestError('invalid operation for router')
  const operation = await reader.byte()
  if (operation !== dumpApiSessions || operations.debug === undefined) {
    throw new AgentRequestError(`invalid operation ${operation}`)
  }
  return operations.debug.dumpApiSessions()
}

function collectGarbage(): string {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
  return 'ok'
}

async function cpuProfile(_reader: RequestReader, _deps: AnswerDeps, signal: AbortSignal): Promise<string> {
  await using profile = await CpuProfile.start()
  await sleep(cpuProfileMilliseconds, undefined, { signal })
  return profile.stop()
}

async function heapProfile(_reader: RequestReader, _deps: AnswerDeps, signal: AbortSignal): Promise<string> {
  await using profile = await HeapProfile.start()
  await sleep(heapProfileMilliseconds, undefined, { signal })
  return profile.read()
}

function withoutEmpty(app: AgentApp): Partial<AgentApp> {
  return Object.fromEntries(Object.entries(app).filter(([, value]) => value !== ''))
}
