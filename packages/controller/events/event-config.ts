/**
 * The configuration section `events`, as it stands in the file: handler name -> what it wants and where that goes.
 *
 * The loader hands it over unjudged; `planEventHandlers` says what is wrong with it, by path, so that the loader can point
 * at the line.
 */

/** One wish: an event type and its options (`include`, `interval`, `includeParentEvents`, …). */
export interface EventSubscriptionConfig {
  readonly type: string
  readonly [option: string]: unknown
}

/** Where a handler's events go. */
export interface EventOutputConfig {
  /** `file` or `stdout`; others are warned about and left out. */
  readonly type: string
  /** `json` or `plain`, in any case. */
  readonly format?: string
  /** For `file`: created with mode 0600 when it does not exist. */
  readonly path?: string
  /** For `file`: the size in MiB at which a new file is begun; 10 when absent. */
  readonly maxsizemb?: number
  /** For `file`: how many older files stay; 0 keeps all. */
  readonly maxbackups?: number
  /** Raises how many events may wait; never lowers it below the default, because ours drops where a peer would wait. */
  readonly bufferSize?: number
}

export interface EventHandlerConfig {
  readonly subscriptions: readonly EventSubscriptionConfig[]
  readonly handler: EventOutputConfig
}

export type EventsConfig = Readonly<Record<string, EventHandlerConfig>>

/** What is wrong in the section. An error must keep the controller from starting; a warning is logged. */
export interface EventConfigProblem {
  readonly severity: 'error' | 'warning'
  /** Below `events`: handler name, then keys and positions. */
  readonly path: readonly (string | number)[]
  readonly message: string
}
