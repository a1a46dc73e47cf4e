import type { agentMessages, InspectResponse } from '@weft/wire/messages'

type Bodies = typeof agentMessages.messages

/** What came of something an operator asked for. */
export interface OperationResult {
  readonly isSuccess: boolean
  readonly text: string
}

/** A link in a few words. */
export interface LinkLine {
  readonly id: string
  readonly destination: string
  readonly protocol: string
}

/** What an operator can ask of a running router. Each may throw; the text of the error is the answer. */
export interface RouterOperations {
  inspect(names: readonly string[]): Promise<InspectResponse> | InspectResponse
  /** The tables of the forwarder, as text. */
  dumpForwarderTables(): string
  links(): Iterable<LinkLine>
  /** These three ask a controller. */
  quiesce(): Promise<OperationResult>
  dequiesce(): Promise<OperationResult>
  decommission(): Promise<OperationResult>
  /** Only for tests, and only where they are enabled; so are those below. */
  readonly debug: DebugOperations | undefined
}

export interface DebugOperations {
  /** Whether there was such a link. */
  forgetLink(linkId: string): boolean
  /** Cuts the channel to a controller, or lets it come back; an empty id means all. */
  toggleControlChannel(controllerId: string, isOn: boolean): Promise<OperationResult>
  addRoute(controllerId: string, route: RouteBody): Promise<void> | void
  unroute(unroute: UnrouteBody): Promise<void> | void
  /** Text. */
  dumpApiSessions(): string
}

type BodyOf<K extends 'updateRoute' | 'unroute'> = ReturnType<Bodies[K]['body']['decode']>
export type RouteBody = BodyOf<'updateRoute'>
export type UnrouteBody = BodyOf<'unroute'>
