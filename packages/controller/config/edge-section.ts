import {
  duration,
  flag,
  formatDuration,
  hostPort,
  hour,
  integer,
  ipOrCidr,
  listOf,
  minute,
  oneOf,
  optional,
  required,
  second,
  section,
  subsection,
  text,
  withDefault,
} from '@weft/model/config-file'
import { hostName, hostNamePattern } from './host-name.ts'
import { authRateLimiterSection } from './rate-limiter-sections.ts'

const apiSection = section({
  keys: {
    address: required(
      hostPort(),
      'The address clients enroll at. It has to be the `address` of a bind point that serves `edge-client`.',
    ),
    sessionTimeout: withDefault(
      duration({ min: minute, belowMin: 'default' }),
      30 * minute,
      'How long an API session lives without activity.',
    ),
    activityUpdateInterval: withDefault(
      duration({ min: 1, max: 10 * minute }),
      90 * second,
      'How often the last activity of sessions is written down.',
    ),
    activityUpdateBatchSize: withDefault(
      integer({ min: 1, max: 10_000 }),
      250,
      'How many sessions are written down at once.',
    ),
    disableOidcAutoBinding: withDefault(
      flag(),
      false,
      'Keeps `edge-oidc` from being added beside `edge-client` when no server lists it.',
    ),
  },
})

const enrollmentLife = duration({ min: 5 * minute, belowMin: 'default' })

const enrollmentSection = section({
  keys: {
    signingCert: required(
      section({
        keys: {
          cert: required(text(), 'The certificate of the CA that signs what is enrolled.'),
          key: required(text(), 'Its private key.'),
          ca: optional(text(), 'The chain above it, where `identity.ca` does not have it.'),
        },
      }),
      'The CA that signs what is enrolled.',
    ),
    edgeIdentity: subsection(
      section({
        keys: { duration: withDefault(enrollmentLife, 180 * minute, 'How long an identity may take to enroll.') },
      }),
      'Enrollment of identities.',
    ),
    edgeRouter: subsection(
      section({
        keys: { duration: withDefault(enrollmentLife, 180 * minute, 'How long a router may take to enroll.') },
      }),
      'Enrollment of routers.',
    ),
  },
})

const shortTokenLife = duration({ min: minute, belowMin: 'min' })

const oidcSection = section({
  keys: {
    accessTokenDuration: withDefault(shortTokenLife, 30 * minute, 'How long an access token is good for.'),
    idTokenDuration: withDefault(shortTokenLife, 30 * minute, 'How long an id token is good for.'),
    refreshTokenDuration: withDefault(
      duration(),
      24 * hour,
      'How long a refresh token is good for: a minute longer than an access token at least.',
    ),
    revocationMinTokenLifetime: withDefault(
      duration(),
      0,
      'Refresh tokens that expire sooner than this are not revoked; less than half of their life.',
    ),
    revocationBucketInterval: withDefault(
      duration({ min: second, belowMin: 'min' }),
      minute,
      'How long revocations of refresh tokens are gathered before they are written.',
    ),
    revocationBucketMaxSize: withDefault(integer({ min: 1, max: 100_000 }), 200, 'Revocations written at once.'),
    revocationMaxQueued: withDefault(integer({ min: 1, max: 10_000_000 }), 25_000, 'Revocations that may wait.'),
    revocationEnforcerFrequency: withDefault(
      duration({ min: 10 * second, belowMin: 'min' }),
      minute,
      'How often expired revocations are removed.',
    ),
  },
  check(draft, findings) {
    const { refreshTokenDuration: life, revocationMinTokenLifetime: spared } = draft
    if (life === undefined || spared === undefined || spared === 0 || spared < life / 2) return
    const most = formatDuration(life / 2)
    const found = formatDuration(spared)
    findings.problem(
      draft,
      'revocationMinTokenLifetime',
      `wanted less than ${most}, half of a refresh token's life, found ${found}`,
    )
  },
})

const jwksFetchSection = section({
  keys: {
    blockPrivateAddresses: withDefault(flag(), false, 'Refuses private and loopback addresses.'),
    deniedIPs: withDefault(listOf(ipOrCidr()), [], 'Addresses that are always refused.'),
    allowedIPs: withDefault(listOf(ipOrCidr()), [], 'Exceptions from `blockPrivateAddresses`.'),
    deniedHostnames: withDefault(listOf(hostNamePattern()), [], 'Hosts that are always refused.'),
    allowedHostnames: withDefault(listOf(hostNamePattern()), [], 'When not empty, the only hosts that are asked.'),
    timeout: withDefault(duration({ min: 1 }), 5 * second, 'How long fetching keys may take, redirects included.'),
    maxRedirects: withDefault(integer({ min: 0, max: 20 }), 5, 'Redirects that are followed, each judged anew.'),
  },
})

const identityStatusSection = section({
  keys: {
    scanInterval: withDefault(
      duration({ min: second, belowMin: 'min' }),
      minute,
      'How often it is judged who is online.',
    ),
    unknownTimeout: withDefault(
      duration(),
      5 * minute,
      'How long after its router was lost an identity is unknown rather than offline.',
    ),
    source: withDefault(oneOf(['heartbeats', 'connect-events', 'hybrid']), 'hybrid', 'What tells who is online.'),
  },
})

/** Identities, services and policies, and the APIs that serve them. */
export const edgeSection = section({
  keys: {
    api: required(apiSection, 'The client API and its sessions.'),
    enrollment: required(enrollmentSection, 'How identities and routers get their certificates.'),
    oidc: subsection(oidcSection, 'Tokens of OIDC logins.'),
    totp: subsection(
      section({
        keys: { hostname: withDefault(hostName(), 'openziti.io', 'The issuer that authenticator apps show.') },
      }),
      'One-time passwords.',
    ),
    authRateLimiter: subsection(authRateLimiterSection, 'How many logins may be under way at once.'),
    identityStatus: subsection(identityStatusSection, 'How it is told who is online.', {
      name: 'identityStatusConfig',
    }),
    externalJwtSigners: subsection(
      section({ keys: { jwksFetch: subsection(jwksFetchSection, 'Where keys of signers may be fetched from.') } }),
      'External JWT signers.',
    ),
    disablePostureChecks: withDefault(flag(), false, 'Leaves posture checks out of every decision.'),
  },
  ignored: { authentication: 'logins are set by `oidc`, `totp`, `authRateLimiter` and by auth policies' },
})
