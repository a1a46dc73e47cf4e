/** What a program says of itself: to its controller in the old way, and to its router with its posture. */
import { defineMessage } from '../protobuf/message-type.ts'
import { text } from '../protobuf/scalars.ts'

export const sdkInfo = defineMessage('SdkInfo', {
  appId: [1, text],
  appVersion: [2, text],
  branch: [3, text],
  revision: [4, text],
  type: [5, text],
  version: [6, text],
})
