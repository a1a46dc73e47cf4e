/**
 * How an edge router is taken in: it is greeted, answers with where SDKs reach it, and is then brought up to date with
 * what edges need besides the data model. Its state is what the API shows as `syncStatus`.
 */

import type { ControlMessage } from '@weft/wire/messages'
import { hasCapability, routerCapability } from '@weft/wire/messages'
import type { SyncStatus } from '../resources/router-presence.ts'
import { networkVersion } from '../version.ts'
import type { ControlConnection } from './control-connection.ts'
import type { ControlContext } from './control-context.ts'
import { writeFromRouter } from './write-from-router.ts'

const HELLO_MILLISECONDS = 10_000
const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 60_000
const MOST_LISTENERS = 100

export interface EdgeGreetingDeps extends Pick<ControlContext, 'kit' | 'fabric' | 'model' | 'log'> {
  /** Sends the router all API sessions of the old kind. */
  readonly syncSessions: (connection: ControlConnection) => void
}

/** Greets edge routers until they answer; others are not spoken to in this way. */
export function greetEdgeRouter(deps: EdgeGreetingDeps) {
  return (connection: ControlConnection): void => {
    if (deps.kit.view.get('routers', connection.routerId)?.kind !== 'edge') return
    new EdgeGreeting(deps, connection).run().catch((err) => {
      deps.log.error('edge router not greeted', { router: connection.routerId, err })
    })
  }
}

class EdgeGreeting {
  readonly #deps: EdgeGreetingDeps
  readonly #connection: ControlConnection

  constructor(deps: EdgeGreetingDeps, connection: ControlConnection) {
    this.#deps = deps
    this.#connection = connection
  }

  async run(): Promise<void> {
    const { channel, routerId } = this.#connection
    for (let pause = FIRST_PAUSE; !channel.isClosed; pause = Math.min(LONGEST_PAUSE, pause * 2)) {
      try {
        await this.#greet()
        return
      } catch (err) {
        if (channel.isClosed) return
        this.#status('SYNC_HELLO_TIMEOUT')
        this.#deps.log.warn('edge router did not answer its greeting', { router: routerId, err })
      }
      await Promise.race([channel.closed, new Promise((resolve) => setTimeout(resolve, pause).unref())])
    }
  }

  async #greet(): Promise<void> {
    const connection = this.#connection
    this.#status('SYNC_HELLO')
    const data = new Map([
      ['instant', 'true'],
      ['routerModel', 'true'],
    ])
    const fields = { hasDataModel: true, body: { version: networkVersion, data } }
    const options = { queue: 'high', timeoutMilliseconds: HELLO_MILLISECONDS }
    const answered = connection.request('serverHello', fields, options)
    this.#status('SYNC_HELLO_WAIT')
    const { message } = await answered
    await this.#take(message)
    this.#status('SYNC_IN_PROGRESS')
    this.#deps.syncSessions(connection)
    if (message.hasDataModel) await connection.channel.send(this.#deps.model.publicKeysMessage())
    this.#status('SYNC_DONE')
  }

  /** What the router said of itself; capabilities and version outlive the connection, because SDKs are told of them. */
  async #take({ body }: ControlMessage<'clientHello'>): Promise<void> {
    const { fabric, kit } = this.#deps
    const { routerId } = this.#connection
    const live = fabric.state.routers.get(routerId)
    const { hostname } = body
    fabric.state.routers.update(this.#connection, { hostname, supportedProtocols: protocolsOf(body) })
    const known = kit.view.get('routers', routerId)
    if (live === undefined || known === undefined) return
    const isCurrent = hasCapability(live.capabilities, routerCapability.multiChannel)
    const capabilitiesMask = isCurrent ? live.capabilities.toString() : known.capabilitiesMask
    const reportedVersion = live.versionInfo.version
    if (known.capabilitiesMask === capabilitiesMask && known.reportedVersion === reportedVersion) return
    await writeFromRouter({ kit, from: this.#connection, method: 'router.hello' }, (change) => {
      if (change.view.get('routers', routerId) === undefined) return
      change.update('routers', routerId, { capabilitiesMask, reportedVersion })
    })
  }

  #status(syncStatus: SyncStatus): void {
    this.#deps.fabric.state.routers.update(this.#connection, { syncStatus })
  }
}

/** One address for each protocol; the last of a protocol counts. Older routers list protocols and ports. */
function protocolsOf({ listeners, protocols, protocolPorts, hostname }: ControlMessage<'clientHello'>['body']) {
  const found: Record<string, string> = {}
  for (const { advertise } of listeners.slice(0, MOST_LISTENERS)) {
    if (advertise !== undefined)
      found[advertise.protocol] = `${advertise.protocol}://${advertise.hostname}:${advertise.port}`
  }
  if (listeners.length > 0) return found
  for (const [at, protocol] of protocols.slice(0, MOST_LISTENERS).entries()) {
    if (protocolPorts[at] !== undefined) found[protocol] = `${protocol}://${hostname}:${protocolPorts[at]}`
  }
  return found
}
