/**
 * From the configuration to handlers: what the section `events` asks for, checked as a whole before anything is opened.
 */
import { resolve } from 'node:path'
import type { Writable } from 'node:stream'
import type { Clock } from '../clock.ts'
import type { EventDispatcher } from './dispatcher.ts'
import type {
  EventConfigProblem,
  EventHandlerConfig,
  EventOutputConfig,
  EventSubscriptionConfig,
  EventsConfig,
} from './event-config.ts'
import { defaultQueueLimits, type EventFormat } from './event-handler.ts'
import { FileSink, type FileSinkOptions } from './file-sink.ts'
import { formatJson } from './json.ts'
import { formatPlain } from './plain.ts'
import { StdoutSink } from './stdout-sink.ts'
import { isProblem, readSubscription, type Subscription } from './subscription.ts'

/** One handler to be attached. */
export interface HandlerPlan {
  readonly name: string
  readonly subscriptions: readonly Subscription[]
  readonly format: EventFormat
  readonly output: 'stdout' | FileSinkOptions
  readonly maxLines: number
}

export interface HandlerPlans {
  readonly plans: readonly HandlerPlan[]
  readonly problems: readonly EventConfigProblem[]
}

const formats: ReadonlyMap<string, EventFormat> = new Map([
  ['json', formatJson],
  ['plain', formatPlain],
])

const MEBIBYTE = 1_048_576
const DEFAULT_FILE_MEBIBYTES = 10
/** What the peers take an explicit 0 for. */
const ZERO_FILE_MEBIBYTES = 100
/** A terabyte in one file, a million events in memory: beyond lies a typing error. */
const BOUNDS = { maxsizemb: 1_048_576, maxbackups: 100_000, bufferSize: 1_000_000 } as const

/** Reads the whole section. Handlers with an error are left out of the plans; all problems are reported. */
export function planEventHandlers(config: EventsConfig): HandlerPlans {
  const plans: HandlerPlan[] = []
  const problems: EventConfigProblem[] = []
  for (const [name, handler] of Object.entries(config)) {
    const found = new Problems(problems, [name])
    const plan = planHandler(name, handler, found)
    if (plan !== undefined) plans.push(plan)
  }
  return { plans, problems }
}

export interface AttachDeps {
  readonly clock: Clock
  /** Where `stdout` handlers write. */
  readonly stdout: Writable
}

/** Attaches planned handlers. A file that cannot be opened is a problem of its handler, which is then left out. */
export async function attachEventHandlers(
  dispatcher: EventDispatcher,
  deps: AttachDeps,
  plans: readonly HandlerPlan[],
): Promise<readonly EventConfigProblem[]> {
  const problems: EventConfigProblem[] = []
  for (const { name, subscriptions, format, output, maxLines } of plans) {
    try {
      const sink = output === 'stdout' ? new StdoutSink(deps.stdout) : await FileSink.open(deps, output)
      dispatcher.attach({ name, subscriptions, format, sink, limits: { maxLines } })
    } catch (error) {
      problems.push({ severity: 'error', path: [name, 'handler', 'path'], message: (error as Error).message })
    }
  }
  return problems
}

function planHandler(name: string, config: EventHandlerConfig, problems: Problems): HandlerPlan | undefined {
  if (!isRecord(config) || !isRecord(config.handler)) {
    problems.error(['handler'], 'wanted a handler with type and format')
    return undefined
  }
  const subscriptions = planSubscriptions(config, problems)
  const output = planOutput(config.handler, problems)
  const format = formats.get(String(config.handler.format).toLowerCase())
  if (output !== undefined && format === undefined) problems.error(['handler', 'format'], 'wanted json or plain')
  const maxLines = problems.number(config.handler, 'bufferSize', 1, defaultQueueLimits.maxLines)
  if (problems.hasErrors || output === undefined || format === undefined) return undefined
  return { name, subscriptions, format, output, maxLines: Math.max(maxLines, defaultQueueLimits.maxLines) }
}

function planSubscriptions(config: EventHandlerConfig, problems: Problems): Subscription[] {
  const wishes: readonly unknown[] | undefined = Array.isArray(config.subscriptions) ? config.subscriptions : undefined
  if (wishes === undefined) problems.error(['subscriptions'], 'wanted a list of subscriptions')
  const subscriptions: Subscription[] = []
  for (const [position, wish] of (wishes ?? []).entries()) {
    const result = isSubscriptionConfig(wish) ? readSubscription(wish) : untyped
    if (isProblem(result)) problems.add(result, ['subscriptions', position])
    else subscriptions.push(result)
  }
  return subscriptions
}

const untyped: EventConfigProblem = { severity: 'error', path: ['type'], message: 'wanted the type of the events' }

function planOutput(config: EventOutputConfig, problems: Problems): 'stdout' | FileSinkOptions | undefined {
  if (config.type === 'stdout') return 'stdout'
  if (config.type !== 'file') {
    problems.warning(
      ['handler', 'type'],
      `no handler of type ${JSON.stringify(config.type)} here; known are file, stdout`,
    )
    return undefined
  }
  if (typeof config.path !== 'string' || config.path === '') {
    problems.error(['handler', 'path'], 'wanted the path of the file')
    return undefined
  }
  const mebibytes = problems.number(config, 'maxsizemb', 0, DEFAULT_FILE_MEBIBYTES) || ZERO_FILE_MEBIBYTES
  const maxBackups = problems.number(config, 'maxbackups', 0, 0)
  return { path: resolve(config.path), maxBytes: mebibytes * MEBIBYTE, maxBackups }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSubscriptionConfig(value: unknown): value is EventSubscriptionConfig {
  return isRecord(value) && typeof value['type'] === 'string'
}

/** Collects the problems of one handler under its path. */
class Problems {
  readonly #all: EventConfigProblem[]
  readonly #path: readonly (string | number)[]
  hasErrors = false

  constructor(all: EventConfigProblem[], path: readonly (string | number)[]) {
    this.#all = all
    this.#path = path
  }

  add(problem: EventConfigProblem, below: readonly (string | number)[] = []): void {
    if (problem.severity === 'error') this.hasErrors = true
    this.#all.push({ ...problem, path: [...this.#path, ...below, ...problem.path] })
  }

  error(path: readonly (string | number)[], message: string): void {
    this.add({ severity: 'error', path, message })
  }

  warning(path: readonly (string | number)[], message: string): void {
    this.add({ severity: 'warning', path, message })
  }

  number(config: EventOutputConfig, key: keyof typeof BOUNDS, min: number, absent: number): number {
    const value: unknown = config[key]
    if (value === undefined) return absent
    if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= BOUNDS[key]) return value
    this.error(['handler', key], `wanted a whole number from ${min} to ${BOUNDS[key]}`)
    return absent
  }
}
