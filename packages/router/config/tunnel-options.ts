import {
  custom,
  duration,
  ipOrCidr,
  listOf,
  minute,
  oneOf,
  oneOrMore,
  optional,
  second,
  section,
  text,
  withDefault,
} from '@weft/model/config-file'
import { dialTimeoutKey, formerXgressOptions, xgressOptionKeys } from './xgress-options.ts'

/** What the router does with services its own identity may use. */
export interface TunnelMode {
  readonly kind: 'host' | 'tproxy' | 'proxy'
  /** The program that diverts packets, in place of rules of the router's own. */
  readonly diverter: string | undefined
  readonly text: string
}

/** A service that is offered at a port of this machine. */
export interface ProxiedService {
  readonly service: string
  readonly port: number
  readonly protocol: 'tcp' | 'udp'
  readonly text: string
}

function tunnelMode() {
  const kind = custom<TunnelMode>('host, tproxy, tproxy: and the path of a diverter, or proxy', (written) => {
    if (written === 'host' || written === 'proxy' || written === 'tproxy') {
      return { kind: written, diverter: undefined, text: written }
    }
    const diverter = /^tproxy:(.+)$/su.exec(written)?.[1]
    return diverter === undefined ? undefined : { kind: 'tproxy', diverter, text: written }
  })
  return { ...kind, show: ({ text }: TunnelMode) => text }
}

function proxiedService() {
  return custom<ProxiedService>('service:port, or service:port:udp', (written) => {
    const [service = '', port = '', protocol = 'tcp', ...rest] = written.split(':')
    const number = /^[0-9]{1,5}$/u.test(port) ? Number(port) : 0
    if (service === '' || number < 1 || number > 65_535 || rest.length > 0) return undefined
    if (protocol !== 'tcp' && protocol !== 'udp') return undefined
    return { service, port: number, protocol, text: written }
  })
}

/** The options of `binding: tunnel`: the router as a tunneler for its own identity. */
export const tunnelOptionsSection = section({
  keys: {
    mode: withDefault(
      tunnelMode(),
      { kind: 'tproxy', diverter: undefined, text: 'tproxy' },
      [
        '`host` offers what the router may bind; `tproxy` also intercepts what it may dial, and answers DNS for it; ',
        '`proxy` also opens the ports of `services`.',
      ].join(''),
    ),
    resolver: withDefault(oneOrMore(text()), ['udp://127.0.0.1:53'], 'Where DNS is answered, in mode `tproxy`.'),
    dnsSvcIpRange: withDefault(ipOrCidr(), '100.64.0.1/10', 'Where addresses for intercepted names come from.'),
    dnsUpstream: withDefault(oneOrMore(text()), [], 'Who is asked about other names.'),
    dnsUpstreamMode: withDefault(
      oneOf(['parallel', 'serial', 'failover', 'random']),
      'parallel',
      'In which order they are asked.',
    ),
    dnsUnanswerable: withDefault(
      oneOf(['refused', 'servfail', 'timeout'], { anyCase: true }),
      'refused',
      'What is answered where no one knows.',
    ),
    lanIf: withDefault(oneOrMore(text()), [], 'The interfaces that packets are taken from; none is all.'),
    services: withDefault(listOf(proxiedService()), [], 'What is offered at ports of this machine, in mode `proxy`.'),
    udpIdleTimeout: withDefault(
      duration({ min: 5 * second, belowMin: 'default' }),
      5 * minute,
      'How long a conversation over UDP may be silent.',
    ),
    udpCheckInterval: withDefault(
      duration({ min: second, belowMin: 'default' }),
      30 * second,
      'How often silent ones are looked for.',
    ),
    svcPollRate: optional(duration(), 'Accepted; services come with the data model.'),
    ...xgressOptionKeys,
    ...dialTimeoutKey,
  },
  ignored: formerXgressOptions,
})
