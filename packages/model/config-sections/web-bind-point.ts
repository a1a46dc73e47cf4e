/**
 * Where a web server listens: on an interface of the machine, or on a service of an overlay.
 */
import {
  flag,
  hostPort,
  oneOf,
  optional,
  required,
  section,
  sectionByKey,
  subsection,
  text,
  type ValueOf,
  withDefault,
} from '../config-file/index.ts'

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

/** A bind point; a key `identity` makes it one of an overlay. */
export const bindPoint = sectionByKey('identity', { present: overlaySection, absent: underlaySection })

export type BindPoint = ValueOf<typeof overlaySection.keys> | ValueOf<typeof underlaySection.keys>
