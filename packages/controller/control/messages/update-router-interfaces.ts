/** The network interfaces of a router's machine; a router that is also an identity has them there too. */
import type { NetworkInterface as ReportedInterface } from '@weft/wire/messages'
import type { NetworkInterface } from '../../resources/network-interface.ts'
import { defineHandler } from '../handler.ts'
import { writeFromRouter } from '../write-from-router.ts'

const flags = { isUp: 1, isBroadcast: 2, isLoopback: 4, isMulticast: 16, isRunning: 32 } as const
const MOST_INTERFACES = 1_000

export const updateRouterInterfaces = defineHandler(
  'updateRouterInterfaces',
  async ({ message: { body }, frame, from }, { kit }) => {
    const interfaces = body.interfaces.slice(0, MOST_INTERFACES).map(shown)
    await writeFromRouter({ kit, from, method: 'router.interfaces' }, (change) => {
      if (change.view.get('routers', from.routerId) === undefined) return
      const { isTunnelerEnabled } = change.update('routers', from.routerId, { interfaces })
      if (isTunnelerEnabled && change.view.get('identities', from.routerId) !== undefined) {
        change.update('identities', from.routerId, { interfaces })
      }
    })
    from.reply(frame, 'result', { success: true, body: 'ok' })
  },
)

function shown({ name, hardwareAddress, mtu, index, flags: mask, addresses }: ReportedInterface): NetworkInterface {
  const has = (bit: number) => (mask & bit) !== 0
  return {
    name,
    hardwareAddress,
    mtu,
    index,
    isUp: has(flags.isUp),
    isRunning: has(flags.isRunning),
    isLoopback: has(flags.isLoopback),
    isBroadcast: has(flags.isBroadcast),
    isMulticast: has(flags.isMulticast),
    addresses,
  }
}
