/** Addresses to listen on, as configuration files write them: `127.0.0.1:1280`, `[::1]:1280`, `[::]:1280`, `:1280`. */
import { parseHostPort } from '@weft/wire'

const everywhere: ReadonlySet<string> = new Set(['', '0.0.0.0', '::'])

/** Whether who listens at the first address also gets what is sent to the second. Port 0 is a port of one's own. */
export function covers(listening: string, wanted: string): boolean {
  if (listening === wanted) return true
  const [here, there] = [parseHostPort(listening), parseHostPort(wanted)]
  if (here === undefined || there === undefined || here.port === 0 || here.port !== there.port) return false
  return here.host === there.host || everywhere.has(here.host)
}
