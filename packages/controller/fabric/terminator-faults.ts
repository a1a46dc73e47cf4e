/** What becomes of terminators of which their own router says that they do not work. */
import type { Kit } from '../resource-kit/kit.ts'

/** Waited for before the next attempt to make a circuit, so that it picks another one. */
export interface TerminatorFaults {
  /** The router does not host it (any more). */
  removeInvalid(terminatorId: string, routerId: string): Promise<void>
  /** The router cannot dial it as it is. */
  markFailed(terminatorId: string, routerId: string): Promise<void>
}

/** The rows change: what is not hosted is deleted, what cannot be dialled becomes the last resort. */
export class StoredTerminatorFaults implements TerminatorFaults {
  readonly #kit: Pick<Kit, 'writeAsController'>

  constructor({ kit }: { readonly kit: Pick<Kit, 'writeAsController'> }) {
    this.#kit = kit
  }

  async removeInvalid(terminatorId: string, routerId: string): Promise<void> {
    await this.#kit.writeAsController((change) => {
      if (change.view.get('terminators', terminatorId)?.routerId === routerId)
        change.remove('terminators', terminatorId)
    })
  }

  async markFailed(terminatorId: string, routerId: string): Promise<void> {
    await this.#kit.writeAsController((change) => {
      const terminator = change.view.get('terminators', terminatorId)
      if (terminator?.routerId !== routerId || terminator.precedence === 'failed') return
      change.update('terminators', terminatorId, { precedence: 'failed' })
    })
  }
}
