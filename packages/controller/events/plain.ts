/**
 * Events as plain text lines: namespace and type, then `name=value` pairs in a fixed order per namespace.
 *
 * The lines of apiSession, session, authentication and entityCount are those the peers print, to the letter
 * (`impropertClientCertChain`), so that existing patterns match. The peers have no line for the others; theirs follow the
 * same manner. No value can break a line.
 */
import { escapeControl } from '../log/escape-control.ts'
import type { StampedEvent } from './event-types.ts'

/** Formats an event under the namespace its subscription asked for, without the line end. */
export function formatPlain(event: StampedEvent, namespace: string): string {
  const [head, pairs] = lineOf(event, namespace)
  const fields = pairs.map(([name, value]) => `${name}=${valueText(value)}`)
  return escapeControl([head, ...fields].join(' '))
}

type Pair = readonly [name: string, value: unknown]

function lineOf(event: StampedEvent, namespace: string): [head: string, pairs: readonly Pair[]] {
  const time = ['timestamp', goTime(event.timestamp)] as const
  switch (event.namespace) {
    case 'apiSession':
      return [
        `${namespace}.${event.event_type}`,
        [
          ['id', event.id],
          time,
          ['token', event.token],
          ['identityId', event.identity_id],
          ['ipAddress', event.ip_address],
          ['certGenerated', event.cert_generated],
        ],
      ]
    case 'session':
      return [
        `${namespace}.${event.event_type}`,
        [
          ['id', event.id],
          time,
          ['token', event.token ?? ''],
          ['apiSessionId', event.api_session_id],
          ['identityId', event.identity_id],
        ],
      ]
    case 'authentication':
      return [
        `${namespace}.${event.event_type}`,
        [
          ['method', `${event.type},`],
          ['authenticatorId', event.authenticator_id],
          time,
          ['identityId', event.identity_id],
          ['ipAddress', event.remote_address],
          ['extJwtSignerId', event.external_jwt_signer_id],
          ['authPolicyId', event.auth_policy_id],
          ['impropertClientCertChain', event.improper_client_cert_chain],
          ['success', event.success],
          ['reason', event.reason],
        ],
      ]
    case 'entityCount':
      return [namespace, [time, ['counts', goMap(event.counts ?? {})], ['err', event.error ?? '']]]
    case 'entityChange':
      return [`${namespace}.${event.eventType}`, [['eventId', event.eventId], time, ...changePairs(event)]]
    default:
      return [namespace, [time, ...otherPairs(event)]]
  }
}

function changePairs(event: StampedEvent & { namespace: 'entityChange' }): readonly Pair[] {
  if (event.eventType === 'committed') return []
  const { author, source, trace_id } = event.metadata
  const state = (event.finalState ?? event.initialState ?? {}) as { readonly id?: unknown; readonly name?: unknown }
  return [
    ['entityType', event.entityType],
    ['isParentEvent', event.isParentEvent],
    ['entityId', state.id ?? ''],
    ['entityName', state.name ?? ''],
    ['authorType', author.type],
    ['authorId', author.id ?? ''],
    ['authorName', author.name ?? ''],
    ['sourceType', source.type],
    ['method', source.method ?? ''],
    ['remoteAddr', source.remoteAddr ?? ''],
    ['traceId', trace_id ?? ''],
  ]
}

function otherPairs(event: StampedEvent): readonly Pair[] {
  const { namespace: _namespace, event_src_id: _source, timestamp: _time, ...members } = event
  return Object.entries(members).map(([name, value]) => [camelCase(name), value])
}

function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function valueText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** A map as Go prints it: sorted by key. */
function goMap(counts: Readonly<Record<string, number>>): string {
  const entries = Object.keys(counts).sort()
  return `map[${entries.map((key) => `${key}:${counts[key]}`).join(' ')}]`
}

/** A time as Go prints it: no zeros at the end of the fraction, zone as offset and name. */
function goTime(timestamp: string): string {
  const [date, time = ''] = timestamp.slice(0, -1).split('T')
  const [seconds, fraction = ''] = time.split('.')
  const shown = fraction.replace(/0+$/, '')
  return `${date} ${seconds}${shown === '' ? '' : `.${shown}`} +0000 UTC`
}
