/** A TLS connection under the test's full control: whatever bytes, in whatever pieces, and what came back for them. */
import { once } from 'node:events'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import type { Server } from './api-client.ts'
import { until } from './patience.ts'

export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
}

export class RawConnection implements Disposable {
  readonly socket: TLSSocket
  readonly #tcp: Socket
  #received = Buffer.alloc(0)
  #isClosed = false

  private constructor(socket: TLSSocket, tcp: Socket) {
    this.socket = socket
    this.#tcp = tcp
    tcp.on('error', () => {})
    socket.on('data', (bytes: Buffer) => {
      this.#received = Buffer.concat([this.#received, bytes])
    })
    socket.on('error', () => {})
    for (const end of ['end', 'close']) {
      socket.on(end, () => {
        this.#isClosed = true
      })
    }
  }

  static async open({ url, ca }: Server): Promise<RawConnection> {
    const { hostname, port } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const tcp = connectTcp({ host, port: Number(port), allowHalfOpen: true })
    const socket = connectTls({ socket: tcp, ca, ...(isIP(host) === 0 ? { servername: host } : { host }) })
    const connection = new RawConnection(socket, tcp)
    await once(socket, 'secureConnect')
    return connection
  }

  /** True once the other side has ended it. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  get received(): string {
    return this.#received.toString('latin1')
  }

  /** Writes bytes; text is written as Latin-1, so that every byte can be said. */
  write(bytes: string | Buffer): void {
    if (!this.socket.writable) return
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  }

  /** The first answer that has arrived whole; undefined when the connection ended without one. */
  answer(within = 15_000): Promise<RawAnswer | undefined> {
    const arrived = () => {
      const answer = firstAnswer(this.received, this.#isClosed)
      if (answer !== undefined) return { answer }
      return this.#isClosed ? { answer: undefined } : undefined
    }
    return until('an answer on a raw connection', arrived, { within, every: 5 }).then(({ answer }) => answer)
  }

  /** Ends it as a crash of the client would. */
  reset(): void {
    this.#tcp.resetAndDestroy()
  }

  [Symbol.dispose](): void {
    this.socket.destroy()
  }
}

/** Sends one request as written and answers what came back, if anything did. */
export async function exchange(server: Server, ...pieces: (string | Buffer)[]): Promise<RawAnswer | undefined> {
  using connection = await RawConnection.open(server)
  for (const piece of pieces) connection.write(piece)
  return await connection.answer()
}

/** The first answer in a text; what its end is missing may be missing only if nothing more will come. */
function firstAnswer(text: string, isAll: boolean): RawAnswer | undefined {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const head = text.slice(0, end)
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1])
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  const body = text.slice(end + 4)
  return body.length < length && !isAll ? undefined : { status, head, body: body.slice(0, length) }
}
