/** The control channels, put together: who is dialled and let in, what is said at the hello, and who handles which message. */
import { AddressFault, parseProtocolAddress } from '@weft/model/config-file'
import type { Identity } from '@weft/pki'
import type { HttpProxy, Surroundings } from '@weft/wire'
import type { LinkListener } from '@weft/wire/messages'
import { findFirstControllers, type KnownController, writeEndpointsFile } from '../config/endpoints-file.ts'
import type { CtrlConfig } from '../config/router-config.ts'
import { channelProtocols } from '../config/transport-address.ts'
import type { TlsPorts } from '../transport/tls-ports.ts'
import type { ControlContext } from './control-context.ts'
import { ControllerAcceptor } from './controller-acceptor.ts'
import type { ControllerConnection } from './controller-connection.ts'
import { Controllers } from './controllers.ts'
import { controllerConnector } from './dial-controller.ts'
import { controlHandlers } from './messages/index.ts'
import { routerHelloHeaders } from './router-hello.ts'

export interface ControlLayerDeps {
  readonly routerId: string
  readonly identity: () => Identity
  readonly listeners: () => readonly LinkListener[]
  readonly context: () => ControlContext
  /** Sees every new channel before anything is read. */
  readonly watch: (connection: ControllerConnection) => void
  readonly surroundings: Surroundings
  readonly proxy: HttpProxy | undefined
}

/** The controllers of a configuration; `start` dials them. */
export function configuredControllers(deps: ControlLayerDeps, ctrl: CtrlConfig): Controllers {
  const { surroundings } = deps
  const { log, clock } = surroundings
  const { controllers: first, unreadable } = findFirstControllers(ctrl)
  if (unreadable !== undefined) {
    log.warn('what controllers said of each other cannot be read; those of the configuration are dialled', {
      err: unreadable,
    })
  }
  if (first.length === 0 && ctrl.listeners.length === 0) {
    log.warn('no controller is known; ctrl.endpoint says where one is, or enrollment learns it')
  }
  const connect = controllerConnector(channelDeps(deps, ctrl), ctrl)
  const file = new EndpointsKeeper(ctrl.endpointsFile, log)
  return new Controllers(
    { connect, save: (controllers) => file.save(controllers), readAddress, monotonic: () => clock.monotonic(), log },
    { first, configured: ctrl.endpoints },
  )
}

export interface ControlListenersDeps extends ControlLayerDeps {
  readonly controllers: Controllers
  readonly ports: TlsPorts
}

/** Where the controllers of a configuration connect that dial their routers; `listen` lets them in. */
export function configuredAcceptor(deps: ControlListenersDeps, ctrl: CtrlConfig): ControllerAcceptor {
  const { controllers } = deps
  const acceptor = new ControllerAcceptor(
    {
      ...deps,
      ...channelDeps(deps, ctrl),
      refusalOf: (controllerId) => controllers.refusalOf(controllerId),
      accepted: (connection) => controllers.accept(connection),
    },
    ctrl,
  )
  controllers.onConnect((connection) => {
    if (controllers.isDialled(connection)) acceptor.trust.remember(connection)
  })
  return acceptor
}

/** What channels have in common, whoever has dialled. */
function channelDeps(deps: ControlLayerDeps, ctrl: CtrlConfig) {
  const { log } = deps.surroundings
  const forControllers = ctrl.listeners.map(({ advertise, groups }) => ({ address: advertise.text, groups }))
  return {
    ...deps,
    routerHello: () => routerHelloHeaders(deps.listeners(), forControllers),
    bind(connection: ControllerConnection) {
      deps.watch(connection)
      for (const handler of controlHandlers) handler.register(connection, deps.context(), log)
    },
  }
}

function readAddress(text: string) {
  const address = parseProtocolAddress(text, channelProtocols, { lowestPort: 1, hostMayBeEmpty: false })
  return address instanceof AddressFault ? undefined : address
}

/** Writes one list after another, only if it says something new, and of several that have come meanwhile the last. */
class EndpointsKeeper {
  readonly #path: string
  readonly #log: Surroundings['log']
  #written = ''
  #next: readonly KnownController[] | undefined
  #isWriting = false

  constructor(path: string, log: Surroundings['log']) {
    this.#path = path
    this.#log = log
  }

  save(controllers: readonly KnownController[]): void {
    const text = JSON.stringify(controllers)
    if (text === this.#written) return
    this.#written = text
    this.#next = controllers
    if (!this.#isWriting) void this.#write()
  }

  async #write(): Promise<void> {
    this.#isWriting = true
    for (let list = this.#take(); list !== undefined; list = this.#take()) {
      await writeEndpointsFile(this.#path, list).catch((err: unknown) => {
        this.#written = ''
        this.#log.warn('the list of controllers cannot be kept', { path: this.#path, err })
      })
    }
    this.#isWriting = false
  }

  #take(): readonly KnownController[] | undefined {
    const list = this.#next
    this.#next = undefined
    return list
  }
}
