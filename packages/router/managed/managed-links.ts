/**
 * Links as controllers configure them: the config of type `router.link.v1` that the data model has for this router takes
 * the place of a `link` section that the file does not have. What is wrong with it is told to operators as an alert, and
 * what was in force before stays.
 */
import type { DataModel } from '@weft/model/data-model'
import type { Alert } from '../alerts/alert-reporter.ts'
import type { LinkConfig } from '../config/link-config.ts'
import { readManagedLinkConfig } from '../config/managed-link-config.ts'

export interface ManagedLinksDeps {
  readonly links: { apply(config: LinkConfig): Promise<void> }
  readonly alerts: { raise(alert: Alert): void }
  /** Controllers are to hear where the router listens now. */
  readonly applied: () => void
}

export interface ManagedLinksOptions {
  readonly routerId: string
  /** What is in force without a config: the section of the file. */
  readonly local: LinkConfig
  /** As in `managedConfig.allow`. */
  readonly allow: readonly string[]
}

const typeName = 'router.link.v1'
const baseName = 'router.link'

export class ManagedLinks {
  readonly #deps: ManagedLinksDeps
  readonly #options: ManagedLinksOptions
  #seen: string | undefined
  #applying: Promise<void> = Promise.resolve()

  constructor(deps: ManagedLinksDeps, options: ManagedLinksOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** A section in the file wins, and types that are not allowed are not looked at. */
  get isWanted(): boolean {
    const { local, allow } = this.#options
    const isAllowed = allow.some((name) => name === 'all' || name === typeName || name === baseName)
    return isAllowed && local.listeners.length === 0 && local.dialers.length === 0
  }

  /** Looks at the model after a change; resolves when what follows from it is done. */
  follow(model: DataModel): Promise<void> {
    if (!this.isWanted) return this.#applying
    const found = configOf(model, this.#options.routerId)
    if (found === this.#seen) return this.#applying
    this.#seen = found
    this.#applying = this.#applying.then(() => this.#apply(found))
    return this.#applying
  }

  async #apply(dataJson: string | undefined): Promise<void> {
    const { links, alerts, applied } = this.#deps
    try {
      const { local } = this.#options
      await links.apply(dataJson === undefined ? local : readManagedLinkConfig(typeName, JSON.parse(dataJson)))
      applied()
    } catch (error) {
      alerts.raise({
        message: `managed config [${baseName}]: not applied; what was in force before stays`,
        details: [(error as Error).message],
        relatedEntities: new Map([['self', 'self']]),
      })
    }
  }
}

function configOf({ tables }: DataModel, routerId: string): string | undefined {
  for (const id of tables.router.get(routerId)?.configs ?? []) {
    const config = tables.config.get(id)
    if (config !== undefined && tables.configType.get(config.typeId)?.name === typeName) return config.dataJson
  }
  return undefined
}
