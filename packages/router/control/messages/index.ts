/** Every message that controllers send, and what the router does with it. */
import type { ControlHandler } from '../handler.ts'
import { currentIndex } from './current-index.ts'
import { dataState } from './data-state.ts'
import { dataStateChangeSet } from './data-state-change-set.ts'
import { enrollmentCerts } from './enrollment-certs.ts'
import { fault } from './fault.ts'
import { inspectRequest } from './inspect-request.ts'
import { peerStateChanges } from './peer-state-changes.ts'
import { route } from './route.ts'
import { serverHello } from './server-hello.ts'
import { settings } from './settings.ts'
import { togglePipeTraces } from './toggle-pipe-traces.ts'
import { unroute } from './unroute.ts'
import { updateClusterLeader } from './update-cluster-leader.ts'
import { updateCtrlAddresses } from './update-ctrl-addresses.ts'
import { validateDataState } from './validate-data-state.ts'
import { validateTerminatorsV2 } from './validate-terminators-v2.ts'

export const controlHandlers: readonly ControlHandler[] = [
  currentIndex,
  dataState,
  dataStateChangeSet,
  enrollmentCerts,
  fault,
  inspectRequest,
  peerStateChanges,
  route,
  serverHello,
  settings,
  togglePipeTraces,
  unroute,
  updateClusterLeader,
  updateCtrlAddresses,
  validateDataState,
  validateTerminatorsV2,
]
