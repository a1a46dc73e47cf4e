/**
 * The controller's configuration file: every key of OpenZiti 2.1's, and Weft's own under `weft`.
 */
import {
  duration,
  exactly,
  flag,
  integer,
  listOf,
  optional,
  required,
  second,
  section,
  subsection,
  text,
  wholeUnits,
  withDefault,
} from '@weft/model/config-file'
import { identitySection } from '@weft/model/config-sections'
import { clusterSection } from './cluster-section.ts'
import { ctrlSection } from './ctrl-section.ts'
import { edgeSection } from './edge-section.ts'
import { eventsSection, judgeEventHandlers } from './events-section.ts'
import { trustDomain } from './host-name.ts'
import { networkSection } from './network-section.ts'
import { commandRateLimiterSection, handshakeRateLimiterSection } from './rate-limiter-sections.ts'
import { checkWebServers, servesClientsAt } from './web-checks.ts'
import { webServerSection } from './web-section.ts'
import { weftSection } from './weft-section.ts'

/** The version of the file format, in its key `v`. */
export const fileVersion = { key: 'v', value: 3 } as const

const boltCheckSection = section({
  keys: {
    interval: withDefault(duration(), 30 * second, 'How often the store is tried.'),
    timeout: withDefault(duration(), 20 * second, 'How long a try may take.'),
    initialDelay: withDefault(duration(), 30 * second, 'When it is tried first.'),
  },
})

const commandSection = section({
  keys: {
    rateLimiter: optional(commandRateLimiterSection, 'The queue of changes that wait for the writer.'),
    background: subsection(
      section({
        keys: {
          enabled: withDefault(flag(), true, 'Whether work of low priority has a queue of its own.'),
          queueSize: withDefault(integer({ min: 10, max: 2 ** 30 - 1 }), 1_000, 'How much of it may wait.'),
          dropWhenFull: withDefault(
            flag(),
            false,
            'Whether it is dropped, rather than waited for, when the queue is full.',
          ),
          delayThreshold: withDefault(duration(), 50, 'It waits while changes take longer than this.'),
        },
      }),
      'Work of low priority.',
    ),
  },
})

export const controllerSchema = section({
  keys: {
    v: required(exactly(fileVersion.value), 'The version of the file format.'),
    identity: required(identitySection, 'The certificates and keys of the controller.'),
    db: optional(text(), 'The database file. This or `cluster` is required; `cluster` wins.'),
    cluster: optional(clusterSection, 'The form of files for several controllers; a single one is a cluster of one.'),
    raft: optional(clusterSection, 'The former name of `cluster`.'),
    trustDomain: optional(
      trustDomain(),
      'The name of the network in SPIFFE ids, for certificates that carry none. A hash of the root CA when absent.',
    ),
    additionalTrustDomains: withDefault(listOf(trustDomain()), [], 'Names the network had before.'),
    ctrl: required(ctrlSection, 'The control channel, where routers connect.'),
    edge: required(edgeSection, 'Identities, services, policies and their APIs.'),
    web: required(listOf(webServerSection, { atLeast: 1 }), 'The HTTP servers.'),
    network: subsection(networkSection, 'How circuits are routed and routers are treated.'),
    events: withDefault(eventsSection, {}, 'Who is told about events, by a name of your choice.'),
    healthChecks: subsection(
      section({ keys: { boltCheck: subsection(boltCheckSection, 'The check that the store answers, `bolt.read`.') } }),
      'What the health API reports.',
    ),
    command: subsection(commandSection, 'How changes are taken.'),
    commandRateLimiter: subsection(commandRateLimiterSection, 'The former place of `command.rateLimiter`, which wins.'),
    connectEvents: subsection(
      section({
        keys: {
          queueSize: withDefault(
            integer({ min: 1, max: 1_000_000 }),
            5,
            'Accepted; reports of a router are taken as they come.',
          ),
          idleTime: withDefault(
            duration(),
            30 * second,
            'Accepted; nothing is kept for a router that reports nothing.',
          ),
        },
      }),
      'Reports of routers about who connects.',
    ),
    tls: subsection(
      section({
        keys: {
          handshakeTimeout: withDefault(duration({ min: 1 }), 5 * second, 'How long a TLS handshake may take.'),
          rateLimiter: subsection(handshakeRateLimiterSection, 'How many handshakes may be under way at once.'),
        },
      }),
      'TLS on every listener.',
    ),
    routerDataModel: subsection(
      section({
        keys: {
          logSize: withDefault(integer({ min: 10, max: 10_000_000 }), 10_000, 'Changes a router can catch up with.'),
          listenerBufferSize: withDefault(
            integer({ min: 0, max: 1_000_000 }),
            1_000,
            'Accepted; a router that is behind is sent what it has missed from the log.',
          ),
        },
        ignored: { enabled: 'routers always get the model' },
      }),
      'What routers are sent of the model.',
    ),
    trace: optional(
      section({ keys: { path: optional(text(), 'The file for messages of the control channel.') } }),
      'Recording of messages.',
    ),
    profile: optional(
      section({
        keys: {
          cpu: optional(section({ keys: { path: optional(text(), 'The file for a CPU profile.') } }), 'CPU.'),
          memory: optional(
            section({
              keys: {
                path: optional(text(), 'The file for a memory profile.'),
                interval: withDefault(
                  wholeUnits(1, 'milliseconds', { min: 1, max: 86_400_000 }),
                  15 * second,
                  'How often it is written.',
                  { name: 'intervalMs' },
                ),
              },
            }),
            'Memory.',
          ),
        },
      }),
      'Profiles of the running process.',
    ),
    weft: subsection(weftSection, "Weft's own settings."),
  },
  ignored: {
    mgmt: 'management goes through the `fabric` API of a web server',
    terminator: 'terminators are validated without being told how',
    metrics: 'metrics are read at the `metrics` API of a web server, or told as events',
    example: 'it belongs to an extension that does not exist here',
  },
  check(draft, findings) {
    const { cluster, raft, db, ctrl, edge, events } = draft
    if (raft !== undefined) {
      if (cluster !== undefined)
        findings.problem(draft, 'raft', 'is the former name of cluster; wanted only one of them')
      else findings.warning(draft, 'raft', 'is the former name of cluster')
    }
    const clustered = cluster ?? raft
    if (clustered === undefined && db === undefined) {
      findings.problem(draft, 'db', 'is required, and missing: the database file, or cluster.dataDir instead')
    }
    if (clustered !== undefined && db !== undefined) findings.warning(draft, 'db', 'has no effect beside cluster')
    if (clustered !== undefined && ctrl?.options !== undefined && ctrl.options.advertiseAddress === undefined) {
      findings.problem(ctrl.options, 'advertiseAddress', 'is required in a clustered file, and missing')
    }
    const servers = draft.web ?? []
    checkWebServers(servers, findings)
    if (edge?.api?.address !== undefined && draft.web !== undefined && !servesClientsAt(servers, edge.api.address)) {
      const message = 'wanted the address of a bind point that serves edge-client, found none with this address'
      findings.problem(edge.api, 'address', message)
    }
    for (const { severity, path, message } of judgeEventHandlers(events ?? {})) {
      findings[severity === 'error' ? 'problem' : 'warning'](draft, ['events', ...path], message)
    }
  },
})
