/** Makes the control channel: dials, says hello, judges the answer, and registers who handles what. */
import type { Identity } from '@weft/pki'
import {
  type Channel,
  controlDialPolicy,
  dialChannel,
  type Headers,
  type HttpProxy,
  type Surroundings,
} from '@weft/wire'
import { controllerCapability, hasCapability } from '@weft/wire/messages'
import type { CtrlConfig } from '../config/router-config.ts'
import { planOfControl } from './control-plan.ts'
import { ControllerConnection } from './controller-connection.ts'
import { type ControllerFacts, readControllerHello, UnfitControllerError } from './router-hello.ts'

export interface ControllerDialDeps {
  readonly routerId: string
  /** Asked for each connection: certificates are renewed. */
  readonly identity: () => Identity
  /** What the router says of itself; asked for each hello. */
  readonly routerHello: () => Headers
  /** Registers handlers, before anything is read. */
  readonly bind: (connection: ControllerConnection) => void
  readonly surroundings: Surroundings
  readonly proxy: HttpProxy | undefined
}

type ControllerDialOptions = Pick<CtrlConfig, 'heartbeats' | 'options' | 'defaultRequestTimeout' | 'localBinding'>

const protocols = ['ziti-ctrl']
/** A second connection is for later: what must be said at once is said over the first. */
const secondAfter = 5_000

export function controllerConnector(deps: ControllerDialDeps, options: ControllerDialOptions) {
  const plan = planOfControl(options)
  const { localBinding, heartbeats, defaultRequestTimeout } = options
  const timeouts = { requestTimeout: defaultRequestTimeout, unresponsiveAfter: heartbeats.unresponsiveAfter }
  return async (address: string, signal: AbortSignal): Promise<ControllerConnection> => {
    let connection: ControllerConnection | undefined
    let facts: ControllerFacts | undefined
    await dialChannel(
      {
        address,
        name: `ctrl/${address}`,
        plan,
        protocols,
        get tls() {
          const { client, caPem } = deps.identity()
          return { caPem, ...(client === undefined ? {} : { client }) }
        },
        timeoutMilliseconds: options.options.connectTimeout,
        ...(localBinding === undefined ? {} : { localAddress: localBinding.address }),
        ...(deps.proxy === undefined ? {} : { proxy: deps.proxy }),
        signal,
        hello: () => ({ id: deps.routerId, headers: deps.routerHello() }),
        check(underlay) {
          const found = readControllerHello(underlay)
          // Every further connection must be with the controller of the first.
          if (facts !== undefined && facts.controllerId !== found.controllerId) {
            throw new UnfitControllerError(`${found.controllerId} answered for ${facts.controllerId}`)
          }
          facts = found
        },
        group: {
          type: 'ctrl.default',
          startupDelay: secondAfter,
          policy: controlDialPolicy,
          desired: () => ({
            'ctrl.default': 1,
            ...(hasCapability(facts?.capabilities, controllerCapability.groupedCtrlChan) ? { 'ctrl.high': 1 } : {}),
          }),
        },
        bind(channel: Channel) {
          connection = new ControllerConnection({ channel, ...facts!, address, log: deps.surroundings.log }, timeouts)
          deps.bind(connection)
        },
      },
      deps.surroundings,
    )
    return connection!
  }
}
