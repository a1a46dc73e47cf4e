/** Every message that routers send, and what the controller does with it. */
import type { ControlHandler } from '../handler.ts'
import { alerts } from './alerts.ts'
import { circuitConfirmation } from './circuit-confirmation.ts'
import { fault } from './fault.ts'
import { linkState } from './link-state.ts'
import { metrics } from './metrics.ts'
import { lateRouteResult } from './route-result.ts'
import { routerLinks } from './router-links.ts'
import { subscribeToDataModel } from './subscribe-to-data-model.ts'
import { updateLinkListeners } from './update-link-listeners.ts'
import { updateRouterInterfaces } from './update-router-interfaces.ts'
import { verifyRouter } from './verify-router.ts'

export const controlHandlers: readonly ControlHandler[] = [
  alerts,
  circuitConfirmation,
  fault,
  lateRouteResult,
  linkState,
  metrics,
  routerLinks,
  subscribeToDataModel,
  updateLinkListeners,
  updateRouterInterfaces,
  verifyRouter,
]
