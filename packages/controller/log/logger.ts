/**
 * Structured logs: pino writes the JSON, everything before and after it is decided here.
 *
 * The level is one value shared by a logger and all its children, so that a change at run time reaches every component
 * at once. Fields pass the redaction before pino sees them, bindings of children too. Times are UTC.
 */
import type { Writable } from 'node:stream'
import { type Logger as PinoLogger, pino } from 'pino'
import { type Clock, systemClock, timestamp } from '../clock.ts'
import { LineOutput, type LineOutputOptions } from './line-output.ts'
import { type LogLevel, logLevels } from './log-level.ts'
import { redactFields, redactText } from './redaction.ts'
import { textLine } from './text-line.ts'

/** Whatever helps to understand a line. An error goes under `err`. Secrets are recognised by their keys. */
export type LogFields = Readonly<Record<string, unknown>>

/** What every module gets to write its lines with. No call throws or waits. */
export interface Logger {
  trace(message: string, fields?: LogFields): void
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
  /** A logger that adds these fields to every line (`component`, `requestId`). */
  child(bindings: LogFields): Logger
  /** Whether lines of this level are written: asked before costly fields are gathered. */
  isEnabled(level: LogLevel): boolean
}

export type LogFormat = 'json' | 'text'

/** The logger the process holds: it can be tuned while running, and it is flushed at the end. */
export interface RootLogger extends Logger, AsyncDisposable {
  readonly level: LogLevel
  /** Takes effect at once for this logger and all its children. */
  setLevel(level: LogLevel): void
  /** Lines that were not written because the output was stuck or gone. */
  readonly dropped: number
  /** Bytes that wait to be written. */
  readonly waiting: number
  /** Waits for what was logged so far, at most until the deadline; answers whether all of it was written. */
  flush(deadlineMilliseconds?: number): Promise<boolean>
}

export interface LoggerOptions extends LineOutputOptions {
  readonly level: LogLevel
  readonly format: LogFormat
}

export interface LoggerDeps {
  /** Stays open when the logger ends. */
  readonly stream: Writable
  readonly clock?: Clock
}

/** Enough for a healthy output, and well inside the time a stopping process has. */
const FLUSH_MILLISECONDS = 500

/** Names pino gives to its own members; a field of that name would make the line ambiguous. */
const RESERVED = ['level', 'time', 'msg']

export function createLogger(deps: LoggerDeps, options: LoggerOptions): RootLogger {
  const { stream, clock = systemClock } = deps
  const output = new LineOutput(stream, options)
  const write = options.format === 'json' ? (line: string) => output.write(line) : textWriter(output)
  const backend = pino(
    {
      level: 'trace',
      base: null,
      timestamp: () => `,"time":"${timestamp(clock.now())}"`,
      formatters: { level: (label) => ({ level: label }) },
      // Errors have become plain fields by now; pino's own serializer would call each of them an Object.
      serializers: { err: (fields: unknown) => fields },
    },
    { write },
  )
  return new ProcessLogger(backend, output, { level: options.level })
}

/** A logger for where nothing is to be written. */
export const silentLogger: Logger = {
  trace: () => {},
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
  isEnabled: () => false,
}

function textWriter(output: LineOutput) {
  return (line: string) => output.write(textLine(JSON.parse(line)))
}

interface SharedLevel {
  level: LogLevel
}

class LeveledLogger implements Logger {
  readonly #backend: PinoLogger
  readonly #shared: SharedLevel

  constructor(backend: PinoLogger, shared: SharedLevel) {
    this.#backend = backend
    this.#shared = shared
  }

  trace(message: string, fields?: LogFields): void {
    this.#write('trace', message, fields)
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields)
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields)
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields)
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields)
  }

  child(bindings: LogFields): Logger {
    return new LeveledLogger(this.#backend.child(safeFields(bindings)), this.#shared)
  }

  isEnabled(level: LogLevel): boolean {
    return logLevels[level] >= logLevels[this.#shared.level]
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (!this.isEnabled(level)) return
    this.#backend[level](fields === undefined ? {} : safeFields(fields), redactText(message))
  }
}

class ProcessLogger extends LeveledLogger implements RootLogger {
  readonly #output: LineOutput
  readonly #shared: SharedLevel

  constructor(backend: PinoLogger, output: LineOutput, shared: SharedLevel) {
    super(backend, shared)
    this.#output = output
    this.#shared = shared
  }

  get level(): LogLevel {
    return this.#shared.level
  }

  get dropped(): number {
    return this.#output.dropped
  }

  get waiting(): number {
    return this.#output.waiting
  }

  setLevel(level: LogLevel): void {
    this.#shared.level = level
  }

  flush(deadlineMilliseconds = FLUSH_MILLISECONDS): Promise<boolean> {
    return this.#output.flush(deadlineMilliseconds)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.flush()
    this.#output.detach()
  }
}

function safeFields(fields: LogFields): Record<string, unknown> {
  const safe = redactFields(fields)
  for (const name of RESERVED) {
    if (!Object.hasOwn(safe, name)) continue
    safe[`${name}_`] = safe[name]
    delete safe[name]
  }
  return safe
}
