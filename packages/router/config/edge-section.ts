import { isIP } from 'node:net'
import {
  custom,
  duration,
  hostPort,
  integer,
  listOf,
  minute,
  optional,
  required,
  second,
  section,
  subsection,
  text,
  wholeUnits,
  withDefault,
} from '@weft/model/config-file'

const ipAddress = () => custom('an IP address', (written) => (isIP(written) === 0 ? undefined : written))
const uri = () => custom('a URI', (written) => (URL.canParse(written) ? written : undefined))

const sansSection = section({
  keys: {
    dns: withDefault(listOf(text()), [], 'Host names.'),
    ip: withDefault(listOf(ipAddress()), [], 'IP addresses.'),
    uri: withDefault(listOf(uri()), [], 'URIs.'),
    email: withDefault(listOf(text()), [], 'Addresses of people.'),
  },
})

/** What the router asks to have certified, when it enrolls and when its certificates are renewed. */
export const csrSection = section({
  keys: {
    country: optional(text({ blank: 'absent' }), 'Two letters.'),
    province: optional(text({ blank: 'absent' }), 'A state or province.'),
    locality: optional(text({ blank: 'absent' }), 'A town.'),
    organization: optional(text({ blank: 'absent' }), 'Who runs it.'),
    organizationalUnit: optional(text({ blank: 'absent' }), 'Which part of them.'),
    sans: subsection(sansSection, 'The names that its server certificate covers.'),
  },
})

/** What a router does for clients: SDKs, tunnelers, browsers. */
export const edgeSection = section({
  keys: {
    csr: optional(csrSection, 'What is certified, where there is no `csr` at the top level.'),
    db: optional(
      text({ blank: 'absent' }),
      'The file that keeps the data model, so that clients are served before a controller is reached. ' +
        'The name of this file and `.proto.gzip` when absent.',
    ),
    dbSaveInterval: withDefault(
      wholeUnits(second, 'seconds', { min: 30, belowMin: 'min', max: 86_400, aboveMax: 'max' }),
      30 * second,
      'How often it is written, if anything changed.',
      { name: 'dbSaveIntervalSeconds' },
    ),
    heartbeatInterval: withDefault(
      wholeUnits(second, 'seconds', { min: 10, belowMin: 'default', max: 60, aboveMax: 'default' }),
      minute,
      'How often controllers are told which of their former sessions are in use.',
      { name: 'heartbeatIntervalSeconds' },
    ),
    sessionValidateChunkSize: withDefault(
      integer({ min: 1, max: 1_000_000 }),
      1_000,
      'Former sessions that are checked at once after a controller was away.',
    ),
    sessionValidateMinInterval: withDefault(duration(), 250, 'The shortest pause between two such checks.'),
    sessionValidateMaxInterval: withDefault(duration(), 1_500, 'The longest pause between them.'),
    apiProxy: optional(
      section({
        keys: {
          listener: required(hostPort(), 'Where clients reach it.'),
          upstream: required(hostPort(), 'The controller that requests are passed to.'),
        },
      }),
      "A way to the controller's API for clients that reach only the router.",
    ),
  },
  ignored: {
    enabled: 'the section itself says so',
    underlay_type: 'the address of an edge listener says so',
    sessionValidateInterval: 'sessionValidateMinInterval and sessionValidateMaxInterval say so',
  },
  check(draft, findings) {
    const { sessionValidateMinInterval: min, sessionValidateMaxInterval: max } = draft
    if (min === undefined || max === undefined || min <= max) return
    findings.problem(draft, 'sessionValidateMinInterval', 'wanted at most sessionValidateMaxInterval')
  },
})
