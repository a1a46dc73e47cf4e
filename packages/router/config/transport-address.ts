/**
 * Addresses of the transports: `tls:host:port` and its likes, and the shorter forms that some keys take.
 */
import {
  AddressFault,
  custom,
  type HostPort,
  type Kind,
  type ProtocolAddress,
  parseHostPort,
  parseProtocolAddress,
  Unexpected,
} from '@weft/model/config-file'

/** Transports that carry channels, by the names of the file. */
export const channelProtocols = ['tls', 'tcp', 'ws', 'wss'] as const

/** A transport of the peers that is refused, with the reason for whoever has it in a file. */
const unserved = { protocol: 'dtls', why: 'dtls, for which no library is maintained on this runtime; use tls' } as const

/** Where a channel is dialled. */
export function dialAddress(): Kind<ProtocolAddress> {
  return channelAddress({ lowestPort: 0, hostMayBeEmpty: false })
}

/** Where channels are accepted; an empty host is every interface. */
export function listenAddress(): Kind<ProtocolAddress> {
  return channelAddress({ lowestPort: 0, hostMayBeEmpty: true })
}

type Rules = Parameters<typeof parseProtocolAddress>[2]

function channelAddress(rules: Rules): Kind<ProtocolAddress> {
  const kind = custom('protocol:host:port', (written) => orFound(parseServed(written, rules)))
  return { ...kind, note: `Protocols: ${channelProtocols.join(', ')}.`, show: ({ text }) => text }
}

function parseServed(written: string, rules: Rules): ProtocolAddress | AddressFault {
  const address = parseProtocolAddress(written, [...channelProtocols, unserved.protocol], rules)
  return 'protocol' in address && address.protocol === unserved.protocol ? new AddressFault(unserved.why) : address
}

function orFound<A>(address: A | AddressFault): A | Unexpected {
  return address instanceof AddressFault ? new Unexpected(address.found) : address
}

/** How others reach a listener: the whole address, or host and port alone where the protocol is that of the listener. */
export function advertisedAddress(): Kind<HostPort | ProtocolAddress> {
  const rules = { lowestPort: 1, hostMayBeEmpty: false } as const
  return custom('protocol:host:port or host:port', (written) => {
    const whole = parseServed(written, rules)
    if (!(whole instanceof AddressFault)) return whole
    const short = parseHostPort(written, rules)
    return short instanceof AddressFault ? new Unexpected(whole.found) : short
  })
}

/** The whole form of an advertised address. */
export function wholeAddress(advertised: HostPort | ProtocolAddress, listener: ProtocolAddress): ProtocolAddress {
  if ('protocol' in advertised) return advertised
  return { ...advertised, protocol: listener.protocol, text: `${listener.protocol}:${advertised.text}` }
}

/** Where packets are received: the networks of Go's packet listeners. */
export function packetAddress(): Kind<string> {
  return custom('udp:host:port or unixgram:path', (written) => {
    if (/^unixgram:./su.test(written)) return written
    const rules = { lowestPort: 0, hostMayBeEmpty: true } as const
    const address = parseProtocolAddress(written, ['udp', 'udp4', 'udp6'], rules)
    return address instanceof AddressFault ? new Unexpected(address.found) : written
  })
}
