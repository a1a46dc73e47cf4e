/** The operations that are asked over a channel: one handler for each message, and one answer for whatever goes wrong. */
import {
  type Channel,
  ChannelAcceptor,
  Headers,
  type Message,
  resultMessage,
  singlePlan,
  type WireLog,
} from '@weft/wire'
import { agentCapabilitiesHeader, agentMessages } from '@weft/wire/messages'
import type { LogLevels } from './agent-answers.ts'
import type { OperationResult, RouterOperations } from './router-operations.ts'

export interface AgentChannelDeps {
  readonly routerId: string
  readonly operations: RouterOperations
  readonly levels: LogLevels
  readonly log: WireLog
}

type Answer = (message: Message) => Promise<OperationResult> | OperationResult
type MessageName = keyof typeof agentMessages.messages & string

/** Bit 1: log levels by name. */
const capabilities = Buffer.from([0b10])
const helloTimeout = 1_000
const mostChannels = 16

/** Takes the connections that asked to become channels. */
export function agentAcceptor(deps: AgentChannelDeps): ChannelAcceptor {
  return new ChannelAcceptor(
    {
      id: deps.routerId,
      helloTimeout,
      maxHellos: mostChannels,
      maxChannelsPerIdentity: mostChannels,
      admit: () => ({
        // The socket is the user's own; nobody else reaches it.
        identity: 'agent',
        name: 'agent',
        plan: singlePlan,
        headers: new Headers().set(agentCapabilitiesHeader, capabilities),
        bind: (channel) => bindAgentChannel(channel, deps),
      }),
    },
    { log: deps.log },
  )
}

export function bindAgentChannel(channel: Channel, deps: Pick<AgentChannelDeps, 'operations' | 'levels'>): void {
  const { operations, levels } = deps
  const { debug } = operations
  const answer = (name: MessageName, ask: Answer) =>
    channel.handle(agentMessages.typeOf(name), async (message) => {
      const { isSuccess, text } = await answered(ask, message)
      await channel.reply(message, resultMessage(isSuccess, text))
    })

  channel.handle(agentMessages.typeOf('inspect'), async (message) => {
    const { body } = agentMessages.decodeAs('inspect', message)
    const response = await operations.inspect(body.requestedValues)
    await channel.reply(message, agentMessages.encode('inspectResponse', { body: response }))
  })
  answer('dumpForwarderTables', () => done(operations.dumpForwarderTables()))
  answer('dumpLinks', () => {
    const lines = [...operations.links()].map(
      ({ id, destination, protocol }) => `id: ${id} dest: ${destination} protocol: ${protocol}\n`,
    )
    return done(lines.length === 0 ? 'no links\n' : lines.join(''))
  })
  answer('quiesce', () => operations.quiesce())
  answer('dequiesce', () => operations.dequiesce())
  answer('decommission', () => operations.decommission())
  answer('setLogLevel', (message) => setLogLevel(levels, agentMessages.decodeAs('setLogLevel', message).level))
  for (const name of ['setChannelLogLevel', 'clearChannelLogLevel'] as const) {
    answer(name, () => ({ isSuccess: false, text: 'this router has one log level; set that' }))
  }
  if (debug === undefined) return

  answer('forgetLink', (message) => {
    const isFound = debug.forgetLink(agentMessages.decodeAs('forgetLink', message).body)
    return done(`link removed: ${isFound}`)
  })
  answer('toggleCtrlChannel', (message) => {
    const { body, isOn } = agentMessages.decodeAs('toggleCtrlChannel', message)
    return debug.toggleControlChannel(body, isOn)
  })
  answer('updateRoute', async (message) => {
    const { body, controllerId } = agentMessages.decodeAs('updateRoute', message)
    if (controllerId === undefined || controllerId === '') throw new Error('no controller id provided')
    await debug.addRoute(controllerId, body)
    return done('route added')
  })
  answer('unroute', async (message) => {
    const { body } = agentMessages.decodeAs('unroute', message)
    await debug.unroute(body)
    return done(`circuit unrouted [${body.circuitId}]`)
  })
}

async function answered(ask: Answer, message: Message): Promise<OperationResult> {
  try {
    return await ask(message)
  } catch (error) {
    return { isSuccess: false, text: error instanceof Error ? error.message : String(error) }
  }
}

const levelNames: Readonly<Record<string, Parameters<LogLevels['setLevel']>[0]>> = {
  panic: 'error',
  fatal: 'error',
  error: 'error',
  warn: 'warn',
  warning: 'warn',
  info: 'info',
  debug: 'debug',
  trace: 'trace',
}

function setLogLevel(levels: LogLevels, written: string): OperationResult {
  const name = written.toLowerCase()
  const level = Object.hasOwn(levelNames, name) ? levelNames[name] : undefined
  if (level === undefined)
    return { isSuccess: false, text: `invalid log level ${JSON.stringify(written.slice(0, 40))}` }
  levels.setLevel(level)
  return done(`log level set to ${level}`)
}

function done(text: string): OperationResult {
  return { isSuccess: true, text }
}
