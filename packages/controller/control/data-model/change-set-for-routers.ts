/**
 * A change set as routers get it. Most are the same for all: their bytes are made once, and nothing else of them is kept.
 * One that speaks of the configs of routers is made for each router that asks.
 */
import { lastingBytes } from '@weft/wire'
import { changeSet } from '@weft/wire/messages'
import type { View } from '../../state/view.ts'
import type { DataEventInit } from './data-event.ts'
import { describe } from './entities.ts'
import { isForRouters } from './full-state.ts'

export interface ChangeSetForRouters {
  readonly index: number
  /** The body of the message as a router is to get it. */
  bodyFor(routerId: string): Buffer
}

interface Content {
  readonly index: number
  /** Of the change set before it. */
  readonly previousIndex: number
  readonly events: readonly DataEventInit[]
}

export function changeSetFor(view: View, content: Content): ChangeSetForRouters {
  const { index, events } = content
  const isSame = !events.some((event) => isConfigOfRouters(view, event) || isRouterWithConfigs(event))
  if (!isSame) return new ChangeSetByRouter(view, content)
  const body = lastingBytes(encode(content, events))
  return { index, bodyFor: () => body }
}

class ChangeSetByRouter implements ChangeSetForRouters {
  readonly index: number
  readonly #view: View
  readonly #content: Content

  constructor(view: View, content: Content) {
    this.index = content.index
    this.#view = view
    this.#content = content
  }

  bodyFor(routerId: string): Buffer {
    const { events } = this.#content
    const meant = events.filter((event) => this.#isFor(routerId, event))
    return encode(this.#content, [...meant, ...this.#ownConfigs(routerId)])
  }

  /**
   * A router that is told of itself is then told of its configs: it may have had none of them so far. Then and not before,
   * because a Go router that loses a config of a type lets go of everything of that type.
   */
  *#ownConfigs(routerId: string): Generator<DataEventInit> {
    const isToldOfItself = this.#content.events.some(
      (event) => event.model?.kind === 'router' && event.model.value.id === routerId && isRouterWithConfigs(event),
    )
    if (!isToldOfItself) return
    for (const id of this.#view.get('routers', routerId)?.configs ?? []) {
      const config = this.#view.get('configs', id)
      if (config === undefined) continue
      yield { action: 'Create', isSynthetic: true, model: describe('configs', config)! }
    }
  }

  #isFor(routerId: string, event: DataEventInit): boolean {
    if (event.action === 'Delete' || event.model?.kind !== 'config' || !isConfigOfRouters(this.#view, event))
      return true
    return this.#view.get('routers', routerId)?.configs.includes(event.model.value.id ?? '') ?? false
  }
}

function isConfigOfRouters(view: View, { model }: DataEventInit): boolean {
  return model?.kind === 'config' && isForRouters(view, model.value.typeId ?? '')
}

function isRouterWithConfigs({ action, model }: DataEventInit): boolean {
  return model?.kind === 'router' && action !== 'Delete' && (model.value.configs?.length ?? 0) > 0
}

function encode({ index, previousIndex }: Content, changes: readonly DataEventInit[]): Buffer {
  return changeSet.encode({ index, previousIndex, changes })
}
