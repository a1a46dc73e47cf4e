import {
  custom,
  listOf,
  optional,
  required,
  secretText,
  section,
  subsection,
  text,
  variants,
  withDefault,
} from '@weft/model/config-file'
import { bindPoint, identitySection, metricsApiSection, webOptionsSection } from '@weft/model/config-sections'
import { nativeLogoutUris, nativeRedirectUris } from '../api/oidc/redirect-uris.ts'
import { hostName } from './host-name.ts'

const noOptions = section({ keys: { options: subsection(section({ keys: {} }), 'None.') } })

const oidcOptions = section({
  keys: {
    secret: optional(secretText(), 'The secret tokens are encrypted with; a random one at each start when absent.'),
    redirectUris: withDefault(listOf(text()), [...nativeRedirectUris], 'Where a login may return to.', {
      name: 'redirectURIs',
    }),
    postLogoutUris: withDefault(listOf(text()), [...nativeLogoutUris], 'Where a logout may return to.', {
      name: 'postLogoutURIs',
    }),
    allowedHostnames: withDefault(
      listOf(hostName()),
      [],
      'Host names that count as issuers where the server certificate covers them by a wildcard.',
    ),
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
  metrics: section({ keys: { options: subsection(metricsApiSection, 'Who may read, and how.') } }),
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

/** One web server: where it listens and what it serves. */
export const webServerSection = section({
  keys: {
    name: required(text(), 'A name for logs.'),
    bindPoints: required(listOf(bindPoint, { atLeast: 1 }), 'Where it listens.'),
    identity: optional(identitySection, 'Certificates of its own; the top-level `identity` when absent.'),
    options: subsection(webOptionsSection, 'Timeouts and TLS versions.'),
    apis: required(listOf(variants('binding', apiVariants), { atLeast: 1 }), 'What it serves, first match first.'),
  },
})
