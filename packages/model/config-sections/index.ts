/** Sections that the files of the controller and of the router have in common, each declared once. */
export { adaptiveWindowKeys, checkAdaptiveWindow } from './adaptive-window.ts'
export {
  acceptOnlyOptions,
  assembleChannelOptions,
  type ChannelOptions,
  channelOptionKeys,
  type DialedChannelOptions,
  dialOptionKeys,
  type Heartbeats,
  heartbeatKeys,
} from './channel-options.ts'
export { assembleIdentity, type IdentityConfig, identitySection } from './identity-section.ts'
export { metricsApiSection } from './metrics-api.ts'
export { type BindPoint, bindPoint } from './web-bind-point.ts'
export {
  assembleWebOptions,
  checkTlsVersions,
  checkUnderlays,
  type TakenInterface,
  type WebOptions,
  webOptionsSection,
} from './web-server.ts'
