/** That a router has connected, and from where. */
import { endsOf } from '../channel-ends.ts'
import type { ControlConnection } from '../control-connection.ts'
import type { ControlContext } from '../control-context.ts'

export function tellConnected({ reports, controllerId }: Pick<ControlContext, 'reports' | 'controllerId'>) {
  return ({ routerId, channel }: ControlConnection): void => {
    const { remoteAddr, localAddr } = endsOf(channel)
    reports.connected({
      src_type: 'router',
      dst_type: 'ctrl',
      src_id: routerId,
      src_addr: remoteAddr,
      dst_id: controllerId,
      dst_addr: localAddr,
    })
  }
}
