/**
 * What a handler subscribes to: one namespace, under the name the file uses, narrowed by options.
 *
 * The peers renamed their namespaces once and still serve the old names; events of an old-name subscription carry that
 * name, with two exceptions.
 */

import { SearchPattern, SearchPatternError } from '@weft/model'
import { parseDuration } from '@weft/model/config-file'
import { entityTables } from '../state/entity-tables.ts'
import type { EventConfigProblem, EventSubscriptionConfig } from './event-config.ts'
import type { ControllerEvent, EventNamespace } from './event-types.ts'
import type { MetricsEvent, UsageEvent } from './fabric-events.ts'

export interface Subscription {
  readonly namespace: EventNamespace
  /** The namespace as its events show it. */
  readonly shownAs: string
  accepts(event: ControllerEvent): boolean
  /** For namespaces of whose events a subscription may want a part: that part of an event it accepts. */
  partOf?<E extends ControllerEvent>(event: E): E
  /** For entityCount: milliseconds between two counts. */
  readonly interval?: number
  /** For usage: 2 for one event per direction, 3 for one per circuit. */
  readonly version?: UsageVersion
}

export type UsageVersion = UsageEvent['version']

const currentNamespaces: readonly EventNamespace[] = [
  'alert',
  'apiSession',
  'authentication',
  'circuit',
  'cluster',
  'connect',
  'entityChange',
  'entityCount',
  'link',
  'metrics',
  'router',
  'sdk',
  'service',
  'session',
  'terminator',
  'usage',
]

const formerNames: Readonly<Record<string, EventNamespace>> = {
  'edge.apiSessions': 'apiSession',
  'edge.authentications': 'authentication',
  'edge.entityCounts': 'entityCount',
  'edge.sessions': 'session',
  'fabric.circuits': 'circuit',
  'fabric.links': 'link',
  'fabric.routers': 'router',
  'fabric.terminators': 'terminator',
  'fabric.usage': 'usage',
  services: 'service',
}

/** Names under which events appear when they were asked for by an old one, where it is not that. */
const shownForFormer: Readonly<Record<string, string>> = {
  'edge.authentications': 'authentication',
  services: 'service.events',
}

/** What `include` may name where it selects by event type. */
const includableTypes: Partial<Record<EventNamespace, readonly string[]>> = {
  apiSession: ['created', 'deleted', 'refreshed', 'exchanged'],
  authentication: ['success', 'fail'],
  circuit: ['created', 'pathUpdated', 'deleted', 'failed'],
  session: ['created', 'deleted'],
}

/** What `include` may name for entityChange. Some of them never change here. */
const entityTypes: readonly string[] = [...entityTables, 'eventualEvents', 'identityTypes', 'postureCheckTypes'].sort()

const DEFAULT_COUNT_INTERVAL = 5 * 60_000
/** Counts are cheap but not free, and a timer cannot wait longer than this. */
const COUNT_INTERVAL_BOUNDS = { min: 1_000, max: 2_147_483_647 }
const MAX_INCLUDES = 100

/** Reads one subscription, or says what is wrong with it. The path of a problem starts at the subscription. */
export function readSubscription(config: EventSubscriptionConfig): Subscription | EventConfigProblem {
  const namespace = namespaceOf(config.type)
  if (namespace === undefined) {
    const known = [...currentNamespaces, ...Object.keys(formerNames)].sort().join(', ')
    return warning(['type'], `unknown event type ${JSON.stringify(config.type)}; known are ${known}`)
  }
  const shownAs = Object.hasOwn(shownForFormer, config.type) ? shownForFormer[config.type]! : config.type
  if (namespace === 'entityChange') return entityChange(config)
  if (namespace === 'entityCount') return entityCount(config, shownAs)
  if (namespace === 'metrics') return metrics(config)
  if (namespace === 'usage') return usage(config, shownAs)
  return byType(config, namespace, shownAs)
}

/** Tells a problem from a subscription. */
export function isProblem(result: Subscription | EventConfigProblem): result is EventConfigProblem {
  return 'severity' in result
}

function namespaceOf(type: string): EventNamespace | undefined {
  if (Object.hasOwn(formerNames, type)) return formerNames[type]
  return currentNamespaces.find((namespace) => namespace === type)
}

function byType(
  config: EventSubscriptionConfig,
  namespace: EventNamespace,
  shownAs: string,
): Subscription | EventConfigProblem {
  const includable = includableTypes[namespace]
  const includes = readIncludes(config['include'])
  if (includable === undefined || includes === undefined) return { namespace, shownAs, accepts: () => true }
  if (includes === 'invalid') return error(['include'], 'wanted a list of event types')
  const stranger = includes.find((include) => !includable.includes(include))
  if (stranger !== undefined) {
    return error(['include'], notOneOf(stranger, includable))
  }
  const chosen = new Set<unknown>(includes)
  return { namespace, shownAs, accepts: (event) => 'event_type' in event && chosen.has(event.event_type) }
}

/** `propagateAlways` is about followers of a leader; here every controller that runs speaks for the network. */
function entityChange(config: EventSubscriptionConfig): Subscription | EventConfigProblem {
  const includes = readIncludes(config['include'])
  if (includes === 'invalid') return error(['include'], 'wanted a list of entity types')
  const stranger = includes?.find((include) => !entityTypes.includes(include))
  if (stranger !== undefined) return error(['include'], notOneOf(stranger, entityTypes))
  const withParents = readFlag(config['includeParentEvents'])
  if (withParents === undefined) return error(['includeParentEvents'], 'wanted true or false')
  const chosen = includes && new Set(includes)
  return {
    namespace: 'entityChange',
    shownAs: 'entityChange',
    accepts(event) {
      if (event.namespace !== 'entityChange') return false
      return (withParents || !event.isParentEvent) && (chosen === undefined || chosen.has(event.entityType))
    },
  }
}

function entityCount(config: EventSubscriptionConfig, shownAs: string): Subscription | EventConfigProblem {
  const written = config['interval']
  const interval = written === undefined ? DEFAULT_COUNT_INTERVAL : parseDuration(String(written))
  const { min, max } = COUNT_INTERVAL_BOUNDS
  if (interval === undefined || interval < min || interval > max) {
    return error(['interval'], 'wanted a duration such as 5m, between one second and 24 days')
  }
  return { namespace: 'entityCount', shownAs, accepts: () => true, interval }
}

/** `sourceFilter` says whose metrics are wanted, `metricFilter` which: it is looked for in `<metric>.<value>`. */
function metrics(config: EventSubscriptionConfig): Subscription | EventConfigProblem {
  const source = readPattern(config, 'sourceFilter')
  const metric = readPattern(config, 'metricFilter')
  if (source instanceof SearchPatternError) return error(['sourceFilter'], source.message)
  if (metric instanceof SearchPatternError) return error(['metricFilter'], metric.message)
  const isWanted = (event: MetricsEvent, key: string) =>
    metric?.occursIn(`${event.metric}.${key === 'value' ? '' : key}`) ?? true
  return {
    namespace: 'metrics',
    shownAs: 'metrics',
    accepts(event) {
      if (event.namespace !== 'metrics' || !(source?.occursIn(event.source_id) ?? true)) return false
      return Object.keys(event.metrics).some((key) => isWanted(event, key))
    },
    partOf(event) {
      if (event.namespace !== 'metrics' || metric === undefined) return event
      const wanted = Object.entries(event.metrics).filter(([key]) => isWanted(event, key))
      return { ...event, metrics: Object.fromEntries(wanted) }
    },
  }
}

function usage(config: EventSubscriptionConfig, shownAs: string): Subscription | EventConfigProblem {
  const written = String(config['version'] ?? 2)
  if (written !== '2' && written !== '3') return error(['version'], 'wanted 2 or 3')
  const version: UsageVersion = written === '3' ? 3 : 2
  const includes = version === 3 ? readIncludes(config['include']) : undefined
  if (includes === 'invalid') return error(['include'], 'wanted a list of kinds of usage')
  const chosen = includes && new Set(includes)
  const isChosen = (kind: string) => chosen?.has(kind) ?? true
  return {
    namespace: 'usage',
    shownAs,
    version,
    accepts(event) {
      if (event.namespace !== 'usage' || event.version !== version) return false
      return event.version === 2 || Object.keys(event.usage).some(isChosen)
    },
    partOf(event) {
      if (event.namespace !== 'usage' || event.version !== 3 || chosen === undefined) return event
      return { ...event, usage: Object.fromEntries(Object.entries(event.usage).filter(([kind]) => isChosen(kind))) }
    },
  }
}

/** Undefined when there is none, or an empty one. */
function readPattern(config: EventSubscriptionConfig, option: string): SearchPattern | SearchPatternError | undefined {
  const written = config[option]
  if (written === undefined || written === null || written === '') return undefined
  if (typeof written !== 'string') return new SearchPatternError('wanted a regular expression')
  try {
    return new SearchPattern(written)
  } catch (problem) {
    if (problem instanceof SearchPatternError) return problem
    throw problem
  }
}

/** One name or a list of names; an empty list selects everything, as no list does. */
function readIncludes(value: unknown): readonly string[] | 'invalid' | undefined {
  if (value === undefined || value === null) return undefined
  const list: readonly unknown[] = Array.isArray(value) ? value : [value]
  if (list.length > MAX_INCLUDES || !list.every((item) => typeof item === 'string')) return 'invalid'
  return list.length === 0 ? undefined : list
}

function notOneOf(stranger: string, known: readonly string[]): string {
  return `${JSON.stringify(stranger)} is not one of ${known.join(', ')}`
}

function readFlag(value: unknown): boolean | undefined {
  if (value === undefined) return false
  if (typeof value === 'boolean') return value
  return typeof value === 'string' ? value.toLowerCase() === 'true' : undefined
}

function error(path: readonly string[], message: string): EventConfigProblem {
  return { severity: 'error', path, message }
}

function warning(path: readonly string[], message: string): EventConfigProblem {
  return { severity: 'warning', path, message }
}
