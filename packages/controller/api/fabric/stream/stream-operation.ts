/** The path of the management stream for those who ask for it without a websocket. */
import type { Operation } from '../../../operation/operation.ts'
import { BAD_REQUEST } from '../../http/upgrade.ts'
import { STREAM_PATH } from './management-streams.ts'
import { streamAccess } from './stream-permission.ts'

const TEXT = 'text/plain; charset=utf-8'

export const streamOperation: Operation = {
  operationId: 'openManagementStream',
  method: 'GET',
  path: STREAM_PATH,
  access: streamAccess,
  produces: [TEXT],
  status: 101,
  handle: () => ({ status: 400, body: BAD_REQUEST, contentType: TEXT }),
}
