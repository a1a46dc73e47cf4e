/**
 * Settings that are checked and have no effect, because this router forms the mesh and carries no circuits: whoever wrote
 * them should hear so.
 */
import type { RouterConfig } from './config/router-config.ts'

/** Their keys in the file. */
export function unservedSettings(config: Pick<RouterConfig, 'listeners' | 'dialers' | 'edge' | 'transport'>): string[] {
  const given = {
    listeners: config.listeners.length > 0,
    dialers: Object.keys(config.dialers).length > 0,
    'edge.apiProxy': config.edge?.apiProxy !== undefined,
    'transport.wss': config.transport.webSocket !== undefined,
  }
  return Object.entries(given).flatMap(([key, isGiven]) => (isGiven ? [key] : []))
}
