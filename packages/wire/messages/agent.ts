/** What a local command line asks a running router over its operations socket. All but inspections get a Result. */
import { defineCatalogue } from '../catalogue/catalogue.ts'
import { optional, required } from '../catalogue/definition.ts'
import { bool, text } from '../catalogue/value-kinds.ts'
import { resultMessages } from './channel-messages.ts'
import { inspectRequest, inspectResponse, route, unroute } from './fabric-bodies.ts'

const level = required(30100, text)
const channel = required(30101, text)
const replies = ['result'] as const

/** The capability mask in the agent's hello answer: bit 1 = log levels by name. */
export const agentCapabilitiesHeader = 30102

export const agentMessages = defineCatalogue('agent', {
  ...resultMessages,
  inspect: { type: 1013, from: 'client', body: inspectRequest, replies: ['inspectResponse'] },
  inspectResponse: { type: 1014, from: 'router', body: inspectResponse },
  forgetLink: { type: 10071, from: 'client', body: text, replies }, // link id
  toggleCtrlChannel: {
    type: 10072,
    from: 'client',
    headers: { isOn: required(11, bool) },
    body: text, // controller id; empty = all
    replies,
  },
  updateRoute: { type: 10073, from: 'client', headers: { controllerId: optional(12, text) }, body: route, replies },
  dumpForwarderTables: { type: 10074, from: 'client', replies },
  dumpLinks: { type: 10075, from: 'client', replies },
  unroute: { type: 10076, from: 'client', body: unroute, replies },
  quiesce: { type: 10077, from: 'client', replies },
  dequiesce: { type: 10078, from: 'client', replies },
  decommission: { type: 10079, from: 'client', replies },
  setLogLevel: { type: 30000, from: 'client', headers: { level }, replies },
  setChannelLogLevel: { type: 30001, from: 'client', headers: { level, channel }, replies },
  clearChannelLogLevel: { type: 30002, from: 'client', headers: { channel }, replies },
})
