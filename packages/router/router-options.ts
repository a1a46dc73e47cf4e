/** What a router is given to start with, and what keeps it from going on. */
import type { WireLog } from '@weft/wire'
import type { LogLevels } from './agent/agent-answers.ts'
import type { AgentAddress } from './agent/agent-socket.ts'
import type { RouterConfig } from './config/router-config.ts'

export interface RouterDeps {
  readonly clock: { now(): number; monotonic(): number }
  readonly log: WireLog
  readonly levels: LogLevels
  /** The router cannot go on: whoever runs it should end it. */
  readonly onFailure: (error: Error) => void
}

export interface RouterOptions {
  readonly config: RouterConfig
  /** What relative paths of the configuration are relative to. */
  readonly baseDirectory: string
  /** The local socket of operators; left out for none. */
  readonly agent?: { readonly address: AgentAddress; readonly alias: string }
  /** Whether certificates are renewed at once. */
  readonly isRenewalForced?: boolean
  /** Whether the local socket offers what is only for tests, whatever the configuration says. */
  readonly isDebugging?: boolean
}

/** No controller took the router in within the time that its configuration allows. */
export class StartupTimeoutError extends Error {
  readonly code = 'STARTUP_TIMEOUT'

  constructor(milliseconds: number) {
    super(`no controller was reached within ${milliseconds / 1_000} s (ctrl.startupTimeout)`)
    this.name = 'StartupTimeoutError'
  }
}
