import { type Problem, renderProblems } from './problem.ts'

/** Why a configuration file could not be used. "No file" and "bad file" are different news to whoever starts a program. */
export const configErrors = {
  NO_FILE: 'there is no such file',
  UNREADABLE_FILE: 'the file cannot be read',
  BAD_FILE: 'the file has problems',
} as const

export type ConfigErrorCode = keyof typeof configErrors

/** Thrown when a configuration file is missing, unreadable or wrong; the message shows every problem with its place. */
export class ConfigError extends Error {
  readonly code: ConfigErrorCode
  readonly fileName: string
  /** Errors and warnings, in the order of the file; empty unless the code is BAD_FILE. */
  readonly problems: readonly Problem[]

  constructor(code: ConfigErrorCode, fileName: string, message: string, options: ConfigErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = 'ConfigError'
    this.code = code
    this.fileName = fileName
    this.problems = options.problems ?? []
  }

  /** A file that was read and found wrong. */
  static badFile(fileName: string, problems: readonly Problem[], leftOut = 0): ConfigError {
    const more = leftOut > 0 ? `\n… and ${leftOut} more` : ''
    return new ConfigError('BAD_FILE', fileName, renderProblems(problems) + more, { problems })
  }
}

interface ConfigErrorOptions {
  readonly problems?: readonly Problem[]
  readonly cause?: unknown
}
