import {
  custom,
  duration,
  flag,
  hostPort,
  listOf,
  oneOf,
  optional,
  required,
  second,
  secretText,
  section,
  sectionByKey,
  subsection,
  text,
  variants,
  withDefault,
} from '@weft/model/config-file'
import { hostName } from './host-name.ts'
import { identitySection } from './identity-section.ts'

/** TLS versions by the names of the file. The first two are accepted there and never offered. */
export const tlsVersions = ['TLS1.0', 'TLS1.1', 'TLS1.2', 'TLS1.3'] as const

const noOptions = section({ keys: { options: subsection(section({ keys: {} }), 'None.') } })

const nativeCallbacks = (path: string) => [
  `openziti://${path}`,
  `https://127.0.0.1:*/${path}`,
  `http://127.0.0.1:*/${path}`,
  `https://localhost:*/${path}`,
  `http://localhost:*/${path}`,
]

const oidcOptions = section({
  keys: {
    secret: optional(secretText(), 'The secret tokens are encrypted with; a random one at each start when absent.'),
    redirectUris: withDefault(listOf(text()), nativeCallbacks('auth/callback'), 'Where a login may return to.', {
      name: 'redirectURIs',
    }),
    postLogoutUris: withDefault(listOf(text()), nativeCallbacks('auth/logout'), 'Where a logout may return to.', {
      name: 'postLogoutURIs',
    }),
    allowedHostnames: withDefault(
      listOf(hostName()),
      [],
      'Host names that count as issuers where the server certificate covers them by a wildcard.',
    ),
  },
})

const metricsOptions = section({
  keys: {
    scrapeCert: optional(text(), 'The certificate of the only client that may read; everyone may when absent.'),
    includeTimestamps: withDefault(flag(), false, 'Adds to each value when it was measured.'),
  },
})

const pathSegment = custom('a word without slashes', (written) => (/^[^/\\]+$/u.test(written) ? written : undefined))

const staticFilesKeys = {
  location: required(text(), 'The directory with the files.'),
  indexFile: withDefault(text(), 'index.html', 'What is served for paths without a file.'),
}

/** The APIs a server can carry, with the options of each. */
export const apiVariants = {
  'edge-management': noOptions,
  'edge-client': noOptions,
  'edge-oidc': section({ keys: { options: subsection(oidcOptions, 'Issuer and redirects.') } }),
  fabric: noOptions,
  'health-checks': noOptions,
  metrics: section({ keys: { options: subsection(metricsOptions, 'Who may read, and how.') } }),
  spa: section({
    keys: {
      options: required(
        section({ keys: { path: required(pathSegment, 'The first part of the URL path.'), ...staticFilesKeys } }),
        'What is served, and where.',
      ),
    },
  }),
  zac: section({
    keys: {
      options: required(
        section({
          keys: { path: withDefault(pathSegment, 'zac', 'The first part of the URL path.'), ...staticFilesKeys },
        }),
        'What is served, and where. The former form of `spa`.',
      ),
    },
  }),
}

const overlayIdentitySection = section({
  keys: {
    file: optional(text(), 'The identity file; this or `env` is required.'),
    env: optional(text(), 'The environment variable with the identity file in base64.'),
    service: required(text(), 'The service to bind.'),
    clientAuthentication: withDefault(
      oneOf(
        [
          'noclientcert',
          'requestclientcert',
          'requireanyclientcert',
          'verifyclientcertifgiven',
          'requireandverifyclientcert',
        ],
        { anyCase: true },
      ),
      'verifyclientcertifgiven',
      'How clients prove themselves.',
      { name: 'tlsClientAuthenticationPolicy' },
    ),
    listenOptions: subsection(
      section({
        keys: { bindUsingEdgeIdentity: withDefault(flag(), false, 'Binds under the name of the identity.') },
      }),
      'How the service is bound.',
    ),
  },
  check(draft, findings) {
    if (draft.file === undefined && draft.env === undefined) findings.problem(draft, 'itself', 'wanted file or env')
  },
})

const underlaySection = section({
  keys: {
    interface: required(hostPort(), 'Where the server listens; the host 0.0.0.0 or [::] is every interface.'),
    address: required(hostPort(), 'How clients reach it; the server certificate has to cover it.'),
    newAddress: optional(hostPort(), 'An address that clients are told to use from now on.'),
    plainHttp: withDefault(
      flag(),
      false,
      "Weft's own: serves plain HTTP, for development and behind a proxy on the same machine. Loopback interfaces only.",
    ),
  },
})

const overlaySection = section({
  keys: { identity: required(overlayIdentitySection, 'Listens on a service of an overlay instead of an interface.') },
})

const bindPoint = sectionByKey('identity', { present: overlaySection, absent: underlaySection })

const optionsSection = section({
  keys: {
    readTimeout: withDefault(duration({ min: 1 }), 5 * second, 'How long a request may take to arrive.'),
    idleTimeout: withDefault(duration({ min: 1 }), 5 * second, 'How long a connection may wait for the next request.'),
    writeTimeout: withDefault(duration({ min: 1 }), 10 * second, 'How long an answer may take.'),
    minTlsVersion: withDefault(oneOf(tlsVersions), 'TLS1.2', 'The oldest TLS version offered; TLS1.2 at least.', {
      name: 'minTLSVersion',
    }),
    maxTlsVersion: withDefault(oneOf(tlsVersions), 'TLS1.3', 'The newest TLS version offered.', {
      name: 'maxTLSVersion',
    }),
  },
})

/** One web server: where it listens and what it serves. */
export const webServerSection = section({
  keys: {
    name: required(text(), 'A name for logs.'),
    bindPoints: required(listOf(bindPoint, { atLeast: 1 }), 'Where it listens.'),
    identity: optional(identitySection, 'Certificates of its own; the top-level `identity` when absent.'),
    options: subsection(optionsSection, 'Timeouts and TLS versions.'),
    apis: required(listOf(variants('binding', apiVariants), { atLeast: 1 }), 'What it serves, first match first.'),
  },
})
