/**
 * Links as controllers configure them: the config of type `router.link.v1` that the data model has for this router takes
 * the place of a `link` section that the file does not have. What is wrong with it is told to operators as an alert, and
 * what was in force before stays.
 */
import type { DataModel } from '@weft/model/data-model'
import type { Alert } from '../alerts/alert-reporter.ts'
import type { LinkConfig } from '../config/link-config.ts'
import { isManagedConfigAllowed, managedLinkType, readManagedLink } from '../config/managed-config.ts'

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

const baseName = 'router.link'
const version = 1

export class ManagedLinks {
  readonly #deps: ManagedLinksDeps
  readonly #options: ManagedLinksOptions
  #seen: string | undefined
  #isSeenApplied = false
  #applying: Promise<void> = Promise.resolve()

  constructor(deps: ManagedLinksDeps, options: ManagedLinksOptions) {
    this.#deps = deps
    this.#options = options
  }

  /** A section in the file wins, and types that are not allowed are not looked at. */
  get isWanted(): boolean {
    const { local, allow } = this.#options
    return isManagedConfigAllowed(allow, managedLinkType) && local.listeners.length === 0 && local.dialers.length === 0
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

  /** What is known and what is in force, in the form of the peers' tools. */
  inspect() {
    const { local, allow } = this.#options
    const hasLocal = local.listeners.length > 0 || local.dialers.length > 0
    const known = this.#seen === undefined ? [] : [{ version, data: JSON.parse(this.#seen) as unknown }]
    const source = hasLocal ? 'local' : this.#isSeenApplied ? 'controller' : undefined
    return {
      sealed: true,
      closed: false,
      allow,
      handlers: [
        {
          baseType: baseName,
          supportedVersions: [version],
          controllerConfigs: known,
          ...(hasLocal ? { localConfig: { version, data: local } } : {}),
          ...(source === undefined ? {} : { applied: { source, version } }),
        },
      ],
    }
  }

  async #apply(dataJson: string | undefined): Promise<void> {
    const { links, alerts, applied } = this.#deps
    try {
      const { local } = this.#options
      await links.apply(dataJson === undefined ? local : readManagedLink(dataJson))
      this.#isSeenApplied = dataJson !== undefined
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
    if (config !== undefined && tables.configType.get(config.typeId)?.name === managedLinkType) return config.dataJson
  }
  return undefined
}
