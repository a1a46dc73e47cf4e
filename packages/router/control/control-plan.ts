/** How channels with controllers behave, whoever has dialled. */
import { type ChannelPlan, controlPlan, withOutQueueSize } from '@weft/wire'
import type { CtrlConfig } from '../config/router-config.ts'

export type ControlPlanOptions = Pick<CtrlConfig, 'heartbeats' | 'options'>

export function planOfControl({ heartbeats, options }: ControlPlanOptions): ChannelPlan {
  const { sendInterval, checkInterval, closeUnresponsiveTimeout } = heartbeats
  return {
    ...withOutQueueSize(controlPlan, options.outQueueSize),
    heartbeats: { sendInterval, checkInterval, closeAfter: closeUnresponsiveTimeout, grace: closeUnresponsiveTimeout },
    ...(options.writeTimeout === undefined ? {} : { writeTimeout: options.writeTimeout }),
  }
}
