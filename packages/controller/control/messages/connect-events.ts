/**
 * Who has connected to a router, and who has gone. The newest entry about an identity counts; of a whole state everybody
 * whom it does not name is gone.
 */
import type { IdentityConnectEvents } from '@weft/wire/messages'
import { defineHandler } from '../handler.ts'
import { writableTime } from '../reports/writable-time.ts'

export const connectEvents = defineHandler('connectEvents', ({ message: { body }, from }, { kit, fabric, reports }) => {
  if (!fabric.state.routers.isCurrent(from)) return
  const { events, fullState: isFullState } = body
  const present = new Map(events.map(({ identityId, isConnected }) => [identityId, isConnected]))
  const ids = (wanted: boolean) =>
    present.entries().flatMap(([id, isConnected]) => (isConnected === wanted ? [id] : []))
  fabric.reportIdentities(from, { connected: ids(true), disconnected: ids(false), isFullState })
  const isKnown = (id: string) => kit.view.get('identities', id) !== undefined
  const connects = events.filter(({ identityId }) => isKnown(identityId)).flatMap(connectsOf)
  for (const { identityId, connectTime, srcAddr, dstAddr } of connects.sort((a, b) => a.connectTime - b.connectTime)) {
    reports.connected({
      timestamp: writableTime(connectTime),
      src_type: 'identity',
      dst_type: 'router',
      src_id: identityId,
      src_addr: srcAddr,
      dst_id: from.routerId,
      dst_addr: dstAddr,
    })
  }
})

function connectsOf({ identityId, connectTimes }: IdentityConnectEvents) {
  return connectTimes.map((connect) => ({ identityId, ...connect }))
}
