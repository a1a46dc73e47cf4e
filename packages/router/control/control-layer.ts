/** The control channels, put together: who is dialled, what is said at the hello, and who handles which message. */
import { AddressFault, parseProtocolAddress } from '@weft/model/config-file'
import type { Identity } from '@weft/pki'
import type { HttpProxy, Surroundings } from '@weft/wire'
import type { LinkListener } from '@weft/wire/messages'
import { findFirstControllers, type KnownController, writeEndpointsFile } from '../config/endpoints-file.ts'
import type { CtrlConfig } from '../config/router-config.ts'
import { channelProtocols } from '../config/transport-address.ts'
import type { ControlContext } from './control-context.ts'
import type { ControllerConnection } from './controller-connection.ts'
import { Controllers } from './controllers.ts'
import { controllerConnector } from './dial-controller.ts'
import { controlHandlers } from './messages/index.ts'

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
  if (ctrl.listeners.length > 0)
    log.warn('controllers that dial their routers are not served; ctrl.listeners is passed over')
  const connect = controllerConnector(
    {
      ...deps,
      bind(connection) {
        deps.watch(connection)
        for (const handler of controlHandlers) handler.register(connection, deps.context(), log)
      },
    },
    ctrl,
  )
  const file = new EndpointsKeeper(ctrl.endpointsFile, log)
  return new Controllers(
    { connect, save: (controllers) => file.save(controllers), readAddress, monotonic: () => clock.monotonic(), log },
    { first, configured: ctrl.endpoints },
  )
}

function readAddress(text: string) {
  const address = parseProtocolAddress(text, channelProtocols, { lowestPort: 1, hostMayBeEmpty: false })
  return address instanceof AddressFault ? undefined : address
}

/** Writes one list after another, and only if it says something new. */
class EndpointsKeeper {
  readonly #path: string
  readonly #log: Surroundings['log']
  #written = ''
  #writing: Promise<void> = Promise.resolve()

  constructor(path: string, log: Surroundings['log']) {
    this.#path = path
    this.#log = log
  }

  save(controllers: readonly KnownController[]): void {
    const text = JSON.stringify(controllers)
    if (text === this.#written) return
    this.#written = text
    this.#writing = this.#writing.then(() =>
      writeEndpointsFile(this.#path, controllers).catch((err: unknown) => {
        this.#written = ''
        this.#log.warn('the list of controllers cannot be kept', { path: this.#path, err })
      }),
    )
  }
}
