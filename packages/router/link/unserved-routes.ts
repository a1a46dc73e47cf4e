/**
 * What this router answers to routes: it forms the mesh and carries no circuits. A controller that is told so at once
 * looks for another path instead of waiting.
 */
import { type Route, routeErrorCode } from '@weft/wire/messages'
import type { RouteOutcome, RouteTaker } from '../control/control-context.ts'
import type { LinkRegistry } from './link-registry.ts'
import type { LinkReports } from './link-reports.ts'

export interface UnservedRoutesDeps {
  readonly links: Pick<LinkRegistry, 'get'>
  readonly reports: Pick<LinkReports, 'unknown'>
}

export class UnservedRoutes implements RouteTaker {
  readonly #deps: UnservedRoutesDeps

  constructor(deps: UnservedRoutesDeps) {
    this.#deps = deps
  }

  take({ egress, forwards }: Route): RouteOutcome {
    const { links, reports } = this.#deps
    const missing = forwards.find(
      ({ dstAddress, dstType }) => dstType === 'Link' && links.get(dstAddress) === undefined,
    )
    if (missing !== undefined) {
      reports.unknown(missing.dstAddress)
      return failed(routeErrorCode.invalidLinkDestination, `there is no link ${missing.dstAddress}`)
    }
    const what = egress === undefined ? 'carry circuits' : `serve the binding ${egress.binding}`
    return failed(routeErrorCode.generic, `this router does not ${what}`)
  }

  end(): void {
    // No circuit was made, so there is none to end.
  }
}

function failed(code: number, error: string): RouteOutcome {
  return { isMade: false, code, error }
}
