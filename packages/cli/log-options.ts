/** The flags by which every long-running command is told how to log. */
import {
  createLogger,
  isLogLevel,
  type LogFormat,
  type LogLevel,
  type RootLogger,
  standardStream,
  systemClock,
} from '@weft/controller'
import { type Command, InvalidArgumentError } from 'commander'

export interface LogFlags {
  readonly logLevel?: LogLevel
  readonly logFormat?: LogFormat
}

export function withLogFlags(command: Command): Command {
  return command
    .option('--log-level <level>', 'least important lines to write: trace, debug, info, warn, error', readLevel)
    .option('--log-format <format>', 'text or json', readFormat)
}

export function openLog(
  flags: LogFlags,
  otherwise: { readonly level: LogLevel; readonly format?: LogFormat },
): RootLogger {
  const level = flags.logLevel ?? otherwise.level
  const format = flags.logFormat ?? otherwise.format ?? (process.stderr.isTTY ? 'text' : 'json')
  return createLogger({ stream: standardStream(2), clock: systemClock }, { level, format })
}

function readLevel(text: string): LogLevel {
  if (!isLogLevel(text)) throw new InvalidArgumentError('wanted trace, debug, info, warn or error')
  return text
}

function readFormat(text: string): LogFormat {
  if (text !== 'text' && text !== 'json') throw new InvalidArgumentError('wanted text or json')
  return text
}
