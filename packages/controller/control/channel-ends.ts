/** Where a channel runs from and to, as the journal and events show it: `host:port`. */
import type { Channel } from '@weft/wire'

export function endsOf({ first: { connection } }: Channel): {
  readonly localAddr: string
  readonly remoteAddr: string
} {
  return { localAddr: bare(connection.localAddress), remoteAddr: bare(connection.remoteAddress) }
}

function bare(address: string): string {
  return address.slice(address.indexOf(':') + 1)
}
