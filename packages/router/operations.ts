/** What an operator can ask of a running router over its local socket. */
import type { OperationResult, RouterOperations } from './agent/router-operations.ts'
import type { Controllers } from './control/controllers.ts'
import type { Inspector } from './inspection/inspector.ts'
import type { LinkRegistry } from './link/link-registry.ts'

export interface OperationsDeps {
  readonly controllers: Controllers
  readonly links: LinkRegistry
  readonly inspector: Inspector
}

type AskedOfControllers = 'quiesceRouter' | 'dequiesceRouter' | 'decommissionRouter'

const patience = 30_000

/** With `isDebugging` also what is only for tests. */
export function routerOperations(deps: OperationsDeps, isDebugging: boolean): RouterOperations {
  const { controllers, links, inspector } = deps
  const ask = async (name: AskedOfControllers): Promise<OperationResult> => {
    const controller = controllers.forChanges()
    if (controller === undefined) return { isSuccess: false, text: 'no controller is connected' }
    const { message } = await controller.request(name, {}, { timeoutMilliseconds: patience })
    return { isSuccess: message.success, text: message.body }
  }
  return {
    inspect: (names) => inspector.inspect(names),
    dumpForwarderTables: () => 'no circuits\n',
    *links() {
      for (const { id, facts } of links.links()) yield { id, destination: facts.routerId, protocol: facts.protocol }
    },
    quiesce: () => ask('quiesceRouter'),
    dequiesce: () => ask('dequiesceRouter'),
    decommission: () => ask('decommissionRouter'),
    debug: isDebugging
      ? {
          forgetLink: (linkId) => links.closeLink(linkId),
          async toggleControlChannel(controllerId, isOn) {
            const count = controllers.toggle(controllerId, isOn)
            if (count === 0) return { isSuccess: false, text: `there is no controller ${controllerId}` }
            return { isSuccess: true, text: isOn ? 'control channels resumed' : 'control channels cut' }
          },
          addRoute() {
            throw new Error('this router does not carry circuits')
          },
          unroute() {},
          dumpApiSessions: () => 'no API sessions\n',
        }
      : undefined,
  }
}
