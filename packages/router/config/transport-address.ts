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
  protocolAddress,
  Unexpected,
} from '@weft/model/config-file'

/** Transports that carry channels, by the names of the file. */
export const channelProtocols = ['tls', 'dtls', 'tcp', 'ws', 'wss'] as const

/** Where a channel is dialled. */
export function dialAddress(): Kind<ProtocolAddress> {
  return protocolAddress(channelProtocols)
}

/** Where channels are accepted; an empty host is every interface. */
export function listenAddress(): Kind<ProtocolAddress> {
  return protocolAddress(channelProtocols, { isListener: true })
}

/** How others reach a listener: the whole address, or host and port alone where the protocol is that of the listener. */
export function advertisedAddress(): Kind<HostPort | ProtocolAddress> {
  const rules = { lowestPort: 1, hostMayBeEmpty: false } as const
  return custom('protocol:host:port or host:port', (written) => {
    const whole = parseProtocolAddress(written, channelProtocols, rules)
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
