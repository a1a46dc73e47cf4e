/** Every message that routers send, and what the controller does with it. */
import type { ControlHandler } from '../handler.ts'
import { alerts } from './alerts.ts'
import { circuitConfirmation } from './circuit-confirmation.ts'
import { createCircuitV2 } from './create-circuit-v2.ts'
import { createCircuitV3 } from './create-circuit-v3.ts'
import { createTerminatorV2 } from './create-terminator-v2.ts'
import { createTunnelCircuitV2 } from './create-tunnel-circuit-v2.ts'
import { createTunnelTerminatorV2 } from './create-tunnel-terminator-v2.ts'
import { fault } from './fault.ts'
import { linkState } from './link-state.ts'
import { metrics } from './metrics.ts'
import { removeTerminators } from './remove-terminators.ts'
import { lateRouteResult } from './route-result.ts'
import { routerLinks } from './router-links.ts'
import { subscribeToDataModel } from './subscribe-to-data-model.ts'
import { updateLinkListeners } from './update-link-listeners.ts'
import { updateRouterInterfaces } from './update-router-interfaces.ts'
import { updateTerminator } from './update-terminator.ts'
import { updateTunnelTerminator } from './update-tunnel-terminator.ts'
import { verifyRouter } from './verify-router.ts'

export const controlHandlers: readonly ControlHandler[] = [
  alerts,
  circuitConfirmation,
  updateTunnelTerminator,
  updateTerminator,
  removeTerminators,
  createTunnelTerminatorV2,
  createTunnelCircuitV2,
  createTerminatorV2,
  createCircuitV3,
  createCircuitV2,
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
