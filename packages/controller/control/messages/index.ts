/** Every message that routers send, and what the controller does with it. */
import type { ControlHandler } from '../handler.ts'
import { alerts } from './alerts.ts'
import { apiSessionHeartbeat } from './api-session-heartbeat.ts'
import { circuitConfirmation } from './circuit-confirmation.ts'
import { circuitRequest } from './circuit-request.ts'
import { connectEvents } from './connect-events.ts'
import { createApiSession } from './create-api-session.ts'
import { createCircuit } from './create-circuit.ts'
import { createCircuitForService } from './create-circuit-for-service.ts'
import { createCircuitV2 } from './create-circuit-v2.ts'
import { createCircuitV3 } from './create-circuit-v3.ts'
import { createTerminatorV2 } from './create-terminator-v2.ts'
import { createTunnelCircuitV2 } from './create-tunnel-circuit-v2.ts'
import { createTunnelTerminator } from './create-tunnel-terminator.ts'
import { createTunnelTerminatorV2 } from './create-tunnel-terminator-v2.ts'
import { decommissionRouter } from './decommission-router.ts'
import { dequiesceRouter } from './dequiesce-router.ts'
import { enrollmentExtendRouter } from './enrollment-extend-router.ts'
import { enrollmentExtendRouterVerify } from './enrollment-extend-router-verify.ts'
import { fabricCreateTerminator } from './fabric-create-terminator.ts'
import { fabricRemoveTerminator } from './fabric-remove-terminator.ts'
import { fabricUpdateTerminator } from './fabric-update-terminator.ts'
import { fault } from './fault.ts'
import { healthEvent } from './health-event.ts'
import { inspectRequest } from './inspect-request.ts'
import { linkState } from './link-state.ts'
import { listServices } from './list-services.ts'
import { metrics } from './metrics.ts'
import { ping } from './ping.ts'
import { quiesceRouter } from './quiesce-router.ts'
import { removeTerminator } from './remove-terminator.ts'
import { removeTerminators } from './remove-terminators.ts'
import { removeTunnelTerminator } from './remove-tunnel-terminator.ts'
import { requestClientReSync } from './request-client-re-sync.ts'
import { requestClusterMembers } from './request-cluster-members.ts'
import { lateRouteResult } from './route-result.ts'
import { routerLinks } from './router-links.ts'
import { subscribeToDataModel } from './subscribe-to-data-model.ts'
import { traceEvent } from './trace-event.ts'
import { tunnelHealthEvent } from './tunnel-health-event.ts'
import { updateLinkListeners } from './update-link-listeners.ts'
import { updateRouterInterfaces } from './update-router-interfaces.ts'
import { updateTerminator } from './update-terminator.ts'
import { updateTunnelTerminator } from './update-tunnel-terminator.ts'
import { validateSessions } from './validate-sessions.ts'
import { verifyRouter } from './verify-router.ts'

export const controlHandlers: readonly ControlHandler[] = [
  alerts,
  apiSessionHeartbeat,
  circuitConfirmation,
  circuitRequest,
  connectEvents,
  createApiSession,
  createCircuit,
  createCircuitForService,
  createCircuitV2,
  createCircuitV3,
  createTerminatorV2,
  createTunnelCircuitV2,
  createTunnelTerminator,
  createTunnelTerminatorV2,
  decommissionRouter,
  dequiesceRouter,
  enrollmentExtendRouter,
  enrollmentExtendRouterVerify,
  fabricCreateTerminator,
  fabricRemoveTerminator,
  fabricUpdateTerminator,
  fault,
  healthEvent,
  inspectRequest,
  lateRouteResult,
  linkState,
  listServices,
  metrics,
  ping,
  quiesceRouter,
  removeTerminator,
  removeTerminators,
  removeTunnelTerminator,
  requestClientReSync,
  requestClusterMembers,
  routerLinks,
  subscribeToDataModel,
  traceEvent,
  tunnelHealthEvent,
  updateLinkListeners,
  updateRouterInterfaces,
  updateTerminator,
  updateTunnelTerminator,
  validateSessions,
  verifyRouter,
]
