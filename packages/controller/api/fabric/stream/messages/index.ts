/** Every request on the management stream. */
import type { StreamHandler } from '../stream-handler.ts'
import { inspect } from './inspect.ts'
import { streamEvents } from './stream-events.ts'
import { streamTraces } from './stream-traces.ts'
import { toggleCircuitTraces } from './toggle-circuit-traces.ts'
import { togglePipeTraces } from './toggle-pipe-traces.ts'
import { validateCircuits } from './validate-circuits.ts'
import { validateControllerDialers } from './validate-controller-dialers.ts'
import { validateDataModel } from './validate-data-model.ts'
import { validateErtTerminators } from './validate-ert-terminators.ts'
import { validateIdentityConnections } from './validate-identity-connections.ts'
import { validateLinks } from './validate-links.ts'
import { validateSdkTerminators } from './validate-sdk-terminators.ts'
import { validateTerminators } from './validate-terminators.ts'

export const streamHandlers: readonly StreamHandler[] = [
  inspect,
  streamEvents,
  streamTraces,
  toggleCircuitTraces,
  togglePipeTraces,
  validateCircuits,
  validateControllerDialers,
  validateDataModel,
  validateErtTerminators,
  validateIdentityConnections,
  validateLinks,
  validateSdkTerminators,
  validateTerminators,
]
