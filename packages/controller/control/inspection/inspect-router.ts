/** Asks a router for what it says of its inside. */
import type { ControlConnection } from '../control-connection.ts'

export interface RouterInspection {
  readonly errors: readonly string[]
  /** By name, as the router wrote it. */
  readonly values: ReadonlyMap<string, string>
}

export interface InspectRouterOptions {
  readonly timeoutMilliseconds: number
  readonly signal?: AbortSignal
}

export async function inspectRouter(
  connection: ControlConnection,
  requestedValues: readonly string[],
  options: InspectRouterOptions,
): Promise<RouterInspection> {
  const { message } = await connection.request(
    'inspectRequest',
    { body: { requestedValues } },
    { queue: 'low', ...options },
  )
  const { errors, values } = message.body
  return { errors, values: new Map(values.map(({ name, value }) => [name, value])) }
}

/** One value that is JSON. Throws with what the router said where there is none. */
export async function inspectJson(
  connection: ControlConnection,
  name: string,
  options: InspectRouterOptions,
): Promise<unknown> {
  const { errors, values } = await inspectRouter(connection, [name], options)
  const value = values.get(name)
  if (value !== undefined) return JSON.parse(value)
  throw new Error(errors.length > 0 ? errors.join(',') : `the router has not told of ${name}`)
}
