/**
 * The human form of a log line: time, level, component, message, then the remaining fields as `key=value`.
 *
 * A value never brings its own line breaks or control characters into the output, so no input can forge a line or drive
 * the terminal; only stack traces span lines, each indented.
 */
import { escapeControl } from './escape-control.ts'

const NEEDS_QUOTES = /[\s"=\\]|^$/

/** Formats one record, ending with a newline. */
export function textLine(record: Readonly<Record<string, unknown>>): string {
  const { time, level, component, msg, ...fields } = record
  let line = `${String(time)} ${String(level).toUpperCase().padEnd(5)} `
  if (component !== undefined) line += `${escapeControl(String(component))}: `
  line += escapeControl(String(msg ?? ''))
  let traces = ''
  for (const [key, value] of Object.entries(fields)) {
    const { shown, trace } = isErrorRecord(value) ? splitError(value) : { shown: value, trace: '' }
    line += ` ${escapeControl(key)}=${fieldText(shown)}`
    traces += trace
  }
  return `${line}\n${traces}`
}

function fieldText(value: unknown): string {
  const isBare = typeof value === 'string' && !NEEDS_QUOTES.test(value)
  return escapeControl(isBare ? value : JSON.stringify(value))
}

interface ErrorRecord {
  readonly stack: string
  readonly message?: unknown
}

function isErrorRecord(value: unknown): value is ErrorRecord {
  return typeof value === 'object' && value !== null && 'stack' in value && typeof value.stack === 'string'
}

function splitError({ stack, ...rest }: ErrorRecord): { shown: unknown; trace: string } {
  const isBare = 'message' in rest && Object.keys(rest).length === 2
  const trace = stack.split('\n').map((row) => `    ${escapeControl(row)}\n`)
  return { shown: isBare ? rest.message : rest, trace: trace.join('') }
}
