/**
 * The socket by which the operator of a machine looks at a running router, in the protocol of the peers' command line.
 *
 * Whoever can connect controls the process, so it is a file that only the same user can open. A request is bounded in
 * time and size before it is understood, and only a few are served at once.
 */
import { once } from 'node:events'
import { chmod, rm } from 'node:fs/promises'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ChannelAcceptor, StreamConnection, type WireLog } from '@weft/wire'
import { type AgentApp, agentAnswers, type LogLevels } from './agent-answers.ts'
import { agentAcceptor } from './agent-channel.ts'
import { AgentRequestError, agentOperation, appId, requestMark } from './agent-protocol.ts'
import { RequestReader } from './request-reader.ts'
import type { RouterOperations } from './router-operations.ts'

export interface AgentSocketDeps {
  readonly app: AgentApp
  readonly operations: RouterOperations
  readonly levels: LogLevels
  readonly log: WireLog
}

/** `unix:` and a path, or `tcp:host:port`, which anyone who reaches the port can use. */
export type AgentAddress = { readonly path: string } | { readonly host: string; readonly port: number }

const requestMilliseconds = 1_000
const answerMilliseconds = 60_000
const mostConnections = 16

/** Where the command line looks for running programs. */
export function defaultAgentPath(pid: number = process.pid): string {
  return join(tmpdir(), `gops-agent.${pid}.sock`)
}

/** Reads what an operator writes. Undefined when it is neither form. */
export function parseAgentAddress(written: string): AgentAddress | undefined {
  if (written.startsWith('unix:') && written.length > 'unix:'.length) return { path: written.slice('unix:'.length) }
  const found = /^(?:tcp:)?(?:\[([^\]]+)\]|([^:[\]]*)):([0-9]{1,5})$/u.exec(written)
  const port = Number(found?.[3] ?? Number.NaN)
  return port <= 65_535 ? { host: found![1] ?? found![2]!, port } : undefined
}

export class AgentSocket implements AsyncDisposable {
  readonly #deps: AgentSocketDeps
  readonly #acceptor: ChannelAcceptor
  readonly #server: Server
  readonly #open = new Set<Socket>()
  readonly #ended = new AbortController()
  #path: string | undefined

  private constructor(deps: AgentSocketDeps) {
    this.#deps = deps
    const { app, operations, levels, log } = deps
    this.#acceptor = agentAcceptor({ routerId: app.id, operations, levels, log })
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#serve(socket))
    this.#server.maxConnections = mostConnections
  }

  static async open(deps: AgentSocketDeps, address: AgentAddress): Promise<AgentSocket> {
    const agent = new AgentSocket(deps)
    const server = agent.#server
    if ('path' in address) {
      // A process that was killed leaves its socket behind, and its number may come again.
      await rm(address.path, { force: true })
      // Nobody else may connect in the moment before the mode is set.
      const former = process.umask(0o077)
      try {
        server.listen(address.path)
        await once(server, 'listening')
      } finally {
        process.umask(former)
      }
      agent.#path = address.path
      await chmod(address.path, 0o700)
    } else {
      server.listen(address.port, address.host)
      await once(server, 'listening')
      deps.log.warn('the agent listens on a port: anyone who reaches it controls this router', { ...address })
    }
    server.on('error', (err) => deps.log.error('agent socket failed', { err }))
    return agent
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort()
    const closed = this.#server.listening ? once(this.#server, 'close') : undefined
    this.#server.close()
    await this.#acceptor[Symbol.asyncDispose]()
    for (const socket of this.#open) socket.destroy()
    await closed
    if (this.#path !== undefined) await rm(this.#path, { force: true })
  }

  #serve(socket: Socket): void {
    this.#open.add(socket)
    socket.once('close', () => this.#open.delete(socket))
    // Someone who went away in the middle is no news.
    socket.on('error', (err) => this.#deps.log.debug('agent connection', { err }))
    this.#answer(socket).catch((error: unknown) => {
      const isExpected = error instanceof AgentRequestError
      if (!isExpected) this.#deps.log.error('agent request failed', { err: error })
      finish(socket, isExpected ? `${error.message}\n` : 'the request failed; the log of the router says more\n')
    })
  }

  async #answer(socket: Socket): Promise<void> {
    using reader = new RequestReader(socket, requestMilliseconds)
    if (!(await reader.bytes(requestMark.length)).equals(requestMark)) {
      socket.destroy()
      return
    }
    const operation = await reader.byte()
    if (operation === agentOperation.channel) {
      const wanted = await reader.byte()
      if (wanted !== appId.any && wanted !== appId.router) throw new AgentRequestError(`invalid app id ${wanted}`)
      reader[Symbol.dispose]()
      this.#acceptor.accept(new StreamConnection(socket, { localAddress: 'agent', remoteAddress: 'agent' }))
      return
    }
    const answer = agentAnswers.get(operation)
    if (answer === undefined) {
      // A program without the operation says nothing; the command line knows that.
      socket.destroy()
      return
    }
    const { app, operations, levels } = this.#deps
    const gone = new AbortController()
    socket.once('close', () => gone.abort())
    const signal = AbortSignal.any([gone.signal, this.#ended.signal, AbortSignal.timeout(answerMilliseconds)])
    try {
      finish(socket, await answer(reader, { app, operations, log: levels }, signal))
    } catch (error) {
      if (!signal.aborted) throw error
      socket.destroy()
    }
  }
}

/** Says the last word; what the other side may still say is thrown away, and it must take leave in time. */
function finish(socket: Socket, text: string): void {
  socket.end(text)
  socket.resume()
  socket.setTimeout(answerMilliseconds, () => socket.destroy())
}
