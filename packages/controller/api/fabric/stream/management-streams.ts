/**
 * The management streams at `/fabric/v1/ws-api`: who asks is known and allowed before the connection changes its protocol,
 * and loses the stream when that ends.
 */
import { type IncomingMessage, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { WebSocketUpgrades } from '@weft/wire'
import { unauthorized } from '../../../auth/challenges.ts'
import type { CallerResolver } from '../../../auth/resolve-caller.ts'
import { ApiError } from '../../../operation/api-error.ts'
import { allows } from '../../../operation/permissions.ts'
import type { Writer } from '../../../state/writer.ts'
import { errorEnvelope } from '../../http/error-envelope.ts'
import { RequestCall } from '../../http/request-call.ts'
import { readTarget } from '../../http/request-handler.ts'
import { createRequestIds } from '../../http/request-id.ts'
import { refuseUpgrade, type UpgradeHandler } from '../../http/upgrade.ts'
import { FABRIC_BASE } from '../fabric-path.ts'
import { ManagementStream, streamPlan } from './management-stream.ts'
import { streamHandlers } from './messages/index.ts'
import type { StreamContext } from './stream-handler.ts'
import { mayStay, type StreamPermissionDeps, streamAccess } from './stream-permission.ts'

export const STREAM_PATH = '/ws-api'

const MOST_STREAMS = 64
/** How often an open stream counts as use of its session. */
const CHECK_MILLISECONDS = 60_000

/** Tables on which it depends who may have a stream. */
const decisive: ReadonlySet<string> = new Set(['apiSessions', 'identities', 'revocations'])

export interface ManagementStreamsDeps extends StreamContext, StreamPermissionDeps {
  readonly callers: CallerResolver
  readonly writer: Pick<Writer, 'follow'>
}

export class ManagementStreams implements UpgradeHandler, AsyncDisposable {
  readonly #deps: ManagementStreamsDeps
  readonly #upgrades = new WebSocketUpgrades({ maxMessage: streamPlan.limits.body, maxConnections: MOST_STREAMS })
  readonly #streams = new Set<ManagementStream>()
  readonly #newRequestId = createRequestIds()
  readonly #unfollow: () => void
  readonly #timer: NodeJS.Timeout

  constructor(deps: ManagementStreamsDeps) {
    this.#deps = deps
    this.#unfollow = deps.writer.follow((commits) => {
      if (this.#streams.size === 0) return
      const isDecisive = commits.some(({ changes }) => changes.some(({ table }) => decisive.has(table)))
      if (isDecisive) this.#endUnallowed()
    })
    this.#timer = setInterval(() => this.#endUnallowed(), CHECK_MILLISECONDS)
    this.#timer.unref()
  }

  isWanted({ url = '', headers, method }: IncomingMessage): boolean {
    const isWebSocket = headers.upgrade?.toLowerCase() === 'websocket' && method === 'GET'
    return isWebSocket && readTarget(url).path === `${FABRIC_BASE}${STREAM_PATH}`
  }

  accept(request: IncomingMessage, socket: Socket, head: Buffer): void {
    const call = new RequestCall(request, FABRIC_BASE, readTarget(request.url ?? ''), {}, this.#newRequestId)
    // Until the websocket takes it over, an error on the connection would have no listener.
    const ignore = () => socket.destroy()
    socket.on('error', ignore)
    this.#admit(call).then(
      () => {
        socket.off('error', ignore)
        this.#upgrades.accept(request, socket, head, (connection) => this.#open(connection, call))
      },
      (error: unknown) => this.#refuse(socket, error, call.requestId),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    this.#unfollow()
    await Promise.all([...this.#streams].map((stream) => stream[Symbol.asyncDispose]()))
    this.#upgrades[Symbol.dispose]()
  }

  async #admit(call: RequestCall): Promise<void> {
    call.caller = await this.#deps.callers.resolve(call)
    if (!allows(call.caller, streamAccess)) throw unauthorized()
    if (this.#upgrades.isFull) throw new ApiError('RATE_LIMITED')
  }

  #open(connection: ConstructorParameters<typeof ManagementStream>[0]['connection'], call: RequestCall): void {
    const { clock, log } = this.#deps
    const stream = new ManagementStream({ connection, call, clock, log })
    for (const handler of streamHandlers) handler.register(stream, this.#deps)
    this.#streams.add(stream)
    stream.channel.closed.then(() => this.#streams.delete(stream))
    stream.channel.start()
    log.debug('management stream opened', { identity: call.caller.identityId, from: call.remoteAddress })
  }

  #refuse(socket: Socket, error: unknown, requestId: string): void {
    const isExpected = error instanceof ApiError
    if (!isExpected) this.#deps.log.error('management stream not opened', { requestId, err: error })
    const refusal = isExpected ? error : new ApiError('UNHANDLED')
    const headers = Object.entries(refusal.headers ?? {}).map(([name, value]) => `${name}: ${value}`)
    const status = `${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`
    refuseUpgrade(socket, status, errorEnvelope(refusal, requestId), ['content-type: application/json', ...headers])
  }

  #endUnallowed(): void {
    for (const stream of this.#streams) {
      if (mayStay(this.#deps, stream.call.caller)) continue
      this.#deps.log.info('management stream ends with its permission', { identity: stream.call.caller.identityId })
      stream.channel.close()
    }
  }
}
