/** Why a bind point could not be opened. */
import { findPortHolder, type PortHolder } from './port-holder.ts'

export type ListenErrorCode =
  | 'BAD_ADDRESS'
  | 'PLAIN_HTTP_NOT_LOOPBACK'
  | 'ADDRESS_IN_USE'
  | 'ADDRESS_NOT_HERE'
  | 'NOT_PERMITTED'
  | 'LISTEN_FAILED'

export class ListenError extends Error {
  readonly code: ListenErrorCode
  /** The address as configured. */
  readonly address: string
  /** Who has the port, when the code is `ADDRESS_IN_USE` and the system tells. */
  readonly holder: PortHolder | undefined

  constructor(code: ListenErrorCode, address: string, why: string, holder?: PortHolder, origin?: unknown) {
    super(`cannot listen on ${address}: ${why}`, origin === undefined ? undefined : { cause: origin })
    this.name = 'ListenError'
    this.code = code
    this.address = address
    this.holder = holder
  }
}

/** Explains an error of the system's. */
export async function explainListenError(
  address: string,
  port: number,
  error: NodeJS.ErrnoException,
): Promise<ListenError> {
  switch (error.code) {
    case 'EADDRINUSE': {
      const holder = await findPortHolder(port)
      const who = holder === undefined ? 'another process' : `process ${holder.pid} (${holder.command})`
      return new ListenError('ADDRESS_IN_USE', address, `port ${port} is in use by ${who}`, holder, error)
    }
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAFNOSUPPORT':
      return new ListenError('ADDRESS_NOT_HERE', address, 'this machine does not have that address', undefined, error)
    case 'EACCES':
    case 'EPERM':
      return new ListenError('NOT_PERMITTED', address, `port ${port} needs more privileges`, undefined, error)
    default:
      return new ListenError('LISTEN_FAILED', address, error.message, undefined, error)
  }
}
