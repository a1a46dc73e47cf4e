import {
  flag,
  freeForm,
  integer,
  mapOf,
  optional,
  second,
  section,
  wholeUnits,
  withDefault,
} from '@weft/model/config-file'
import { identitySection } from '@weft/model/config-sections'

const largestBuffer = 2 ** 30
const seconds = () => wholeUnits(second, 'seconds', { min: 1, max: 86_400 })
const buffer = () => integer({ min: 1, max: largestBuffer })

const webSocketSection = section({
  keys: {
    writeTimeout: withDefault(seconds(), 10 * second, 'How long a write may take.'),
    readTimeout: withDefault(seconds(), 5 * second, 'How long a request may take to arrive.'),
    idleTimeout: withDefault(seconds(), 120 * second, 'How long a connection may wait for its request.'),
    pongTimeout: withDefault(seconds(), 60 * second, 'How long a peer may be silent.'),
    pingInterval: withDefault(seconds(), 54 * second, 'How often it is asked for a sign of life.'),
    handshakeTimeout: withDefault(seconds(), 10 * second, 'How long a handshake may take.'),
    readBufferSize: withDefault(buffer(), 4_096, 'Bytes read at once.'),
    writeBufferSize: withDefault(buffer(), 4_096, 'Bytes written at once.'),
    enableCompression: withDefault(flag(), true, 'Whether compression is offered.'),
    identity: optional(identitySection, 'Certificates of its own; the top-level `identity` when absent.'),
  },
})

/** What the transports of links and clients can be told. */
export const transportSection = section({
  keys: {
    wss: optional(webSocketSection, 'Listeners for WebSockets, which browsers use.'),
    ws: optional(webSocketSection, 'The spelling of generated files; `wss` wins.'),
    westworld3: optional(mapOf(freeForm()), 'Accepted without effect: the transport that it tuned is gone.'),
  },
  ignored: {
    dtls: 'addresses of that transport are refused',
    handshakeTimeout: 'it is for dtls, whose addresses are refused; tls.handshakeTimeout is for the others',
  },
  check(draft, findings) {
    if (draft.westworld3 !== undefined) {
      findings.warning(draft, 'westworld3', 'has no effect: the transport that it tuned is gone')
    }
    if (draft.ws !== undefined && draft.wss !== undefined) findings.warning(draft, 'ws', 'has no effect beside wss')
  },
})
