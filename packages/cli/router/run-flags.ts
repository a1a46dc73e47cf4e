/**
 * The flags of `weft router run`: ours, and those that scripts and service units for Go routers pass.
 */
import { type AgentAddress, defaultAgentPath, parseAgentAddress } from '@weft/router'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { type LogFlags, withLogFlags } from '../log-options.ts'

/** As commander gives them. */
export interface RunFlags extends LogFlags {
  readonly verbose?: boolean
  readonly logFormatter?: 'json' | 'text'
  readonly cliagent: boolean
  readonly cliAgentAddr?: AgentAddress
  readonly cliAgentAlias?: string
  readonly debugOps?: boolean
  readonly extend?: boolean
}

/** What they come to. */
export interface RunSettings {
  readonly log: LogFlags
  /** Where the local socket is; undefined for none. */
  readonly agent: { readonly address: AgentAddress; readonly alias: string } | undefined
  /** Whether the socket offers what is only for tests; the file may say so as well. */
  readonly isDebugEnabled: boolean
  /** Whether certificates are renewed at once. */
  readonly isRenewalForced: boolean
}

export function withRunFlags(command: Command): Command {
  const parse = command.parseOptions.bind(command)
  command.parseOptions = (args) => parse(args.map(plainFlag))
  return withLogFlags(command)
    .option('-v, --verbose', 'the same as --log-level debug')
    .option('-a, --cliagent', 'have a local socket for "ziti agent"', true)
    .option('--no-cliagent', 'have none')
    .option('--cli-agent-addr <address>', 'where that socket is: unix:PATH or tcp:HOST:PORT', readAgentAddress)
    .option('--cli-agent-alias <name>', 'another name by which the socket is found')
    .option('--debug-ops', 'let the socket do what is only for tests')
    .option('-e, --extend', 'renew the certificates at once')
    .addOption(new Option('--no-debug-ops').hideHelp())
    .addOption(new Option('--no-extend').hideHelp())
    .addOption(new Option('--no-verbose').hideHelp())
    .addOption(new Option('--log-formatter <name>').argParser(readFormatter).hideHelp())
    .addOption(new Option('--log-queue-size <lines>').hideHelp())
    .addOption(new Option('--log-block-threshold <level>').hideHelp())
    .addOption(new Option('--log-summary-interval <duration>').hideHelp())
}

/** Go programs take `--flag=false`; ours say `--no-flag`. */
function plainFlag(argument: string): string {
  const found = /^--(cliagent|debug-ops|extend|verbose)=(true|false)$/u.exec(argument)
  return found ? `--${found[2] === 'true' ? '' : 'no-'}${found[1]}` : argument
}

/** Either of these set to true asks for lines for people, unless a flag says otherwise. */
const proseVariables = ['ZITI_LOG_NO_JSON', 'PFXLOG_NO_JSON'] as const

export function readRunFlags(
  flags: RunFlags,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): RunSettings {
  const logLevel = flags.logLevel ?? (flags.verbose ? 'debug' : undefined)
  const isProse = proseVariables.some((name) => environment[name]?.toLowerCase() === 'true')
  const logFormat = flags.logFormat ?? flags.logFormatter ?? (isProse ? 'text' : undefined)
  const address = flags.cliAgentAddr ?? { path: defaultAgentPath() }
  return {
    log: { ...(logLevel && { logLevel }), ...(logFormat && { logFormat }) },
    agent: flags.cliagent ? { address, alias: flags.cliAgentAlias ?? '' } : undefined,
    isDebugEnabled: flags.debugOps === true,
    isRenewalForced: flags.extend === true,
  }
}

function readAgentAddress(text: string): AgentAddress {
  const address = parseAgentAddress(text)
  if (address === undefined) throw new InvalidArgumentError('wanted unix:PATH or tcp:HOST:PORT')
  return address
}

function readFormatter(text: string): 'json' | 'text' {
  if (text === 'json') return 'json'
  if (text === 'pretty' || text === 'text') return 'text'
  throw new InvalidArgumentError('wanted json, pretty or text')
}
