/**
 * Inspections: the controller and every connected router whose id or name matches are asked for values, all at once. Who does
 * not answer in time is an error among the others' values.
 */
import { SearchPattern, SearchPatternError } from '@weft/model'
import type { ConnectedRouters } from '../../fabric/connected-routers.ts'
import type { View } from '../../state/view.ts'
import type { ControlConnection } from '../control-connection.ts'
import type { ControllerValue } from './controller-values.ts'
import { inspectRouter } from './inspect-router.ts'

export interface InspectedValue {
  readonly appId: string
  readonly name: string
  /** As it was written: JSON or text. */
  readonly value: string
}

export interface Inspection {
  readonly success: boolean
  readonly errors: readonly string[]
  readonly values: readonly InspectedValue[]
}

export interface InspectorDeps {
  readonly view: View
  readonly routers: ConnectedRouters
  readonly controllerValue: ControllerValue
}

/** Below what an API call may take. */
const TIMEOUT_MILLISECONDS = 9_000

export class Inspector {
  readonly #deps: InspectorDeps
  readonly #controllerId: string

  constructor(deps: InspectorDeps, { controllerId }: { readonly controllerId: string }) {
    this.#deps = deps
    this.#controllerId = controllerId
  }

  async inspect(appRegex: string, requestedValues: readonly string[]): Promise<Inspection> {
    const appId = this.#controllerId
    const pattern = compiled(appRegex)
    if (pattern instanceof SearchPatternError) {
      return { success: false, errors: [`${appId}: ${pattern.message}`], values: [] }
    }
    const { routers, view } = this.#deps
    const asked = [...routers.all()].filter(({ connection: { routerId } }) => {
      const name = view.get('routers', routerId)?.name
      return pattern.occursIn(routerId) || (name !== undefined && pattern.occursIn(name))
    })
    const answers = await Promise.all([
      ...(pattern.occursIn(appId) ? [this.inspectController(requestedValues)] : []),
      ...asked.map(({ connection }) => routerAnswer(connection as ControlConnection, requestedValues)),
    ])
    const errors = answers.flatMap((answer) => answer.errors)
    return { success: errors.length === 0, errors, values: answers.flatMap(({ values }) => values) }
  }

  /** Only what the controller itself says; values it does not know are left out. */
  async inspectController(requestedValues: readonly string[]): Promise<Omit<Inspection, 'success'>> {
    const appId = this.#controllerId
    const values: InspectedValue[] = []
    const errors: string[] = []
    // What is asked for twice is answered once: an answer may be large.
    const asked = new Map(requestedValues.map((name) => [name.toLowerCase(), name]))
    for (const name of asked.values()) {
      try {
        const value = await this.#deps.controllerValue(name)
        if (value === undefined) continue
        values.push({ appId, name, value: typeof value === 'string' ? value : JSON.stringify(value) })
      } catch (error) {
        errors.push(`${appId}: ${(error as Error).message}`)
      }
    }
    return { errors, values }
  }
}

async function routerAnswer(
  connection: ControlConnection,
  requestedValues: readonly string[],
): Promise<Omit<Inspection, 'success'>> {
  const appId = connection.routerId
  try {
    const answer = await inspectRouter(connection, requestedValues, { timeoutMilliseconds: TIMEOUT_MILLISECONDS })
    return {
      errors: answer.errors.map((error) => `${appId}: ${error}`),
      values: [...answer.values].map(([name, value]) => ({ appId, name, value })),
    }
  } catch (error) {
    return { errors: [`${appId}: ${(error as Error).message}`], values: [] }
  }
}

function compiled(appRegex: string): SearchPattern | SearchPatternError {
  try {
    return new SearchPattern(appRegex)
  } catch (error) {
    if (error instanceof SearchPatternError) return error
    throw error
  }
}
