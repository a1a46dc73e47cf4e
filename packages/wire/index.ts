/**
 * Bytes: frames, the channel and its hello, transports, and the catalogues of messages.
 *
 * frame/      One message as bytes. `Headers`, `encodeFrame`, `decodeFrame`; for hot code `FrameReader` and reads in place
 *             (`contentTypeAt`, `findHeader`, …). `ProtocolError` is what bad bytes throw.
 * transport/  Connections. `dial('tls:host:port', …)`; `TlsPort.open` listens and shares a port by ALPN
 *             (`registerChannels(['ziti-link'], accept)`, `renew(material)`); `tlsConnection(socket)` makes a connection of
 *             a TLS socket that another server accepted, such as the controller's web server:
 *             `web.take('ziti-ctrl', (socket) => acceptor.accept(tlsConnection(socket)))`.
 *             `WebSocketListener` serves `wss:`; `WebSocketConnection` with `unannounced` is the management stream's.
 * hello/      The first frames of both sides, and version negotiation.
 * channel/    `Channel`: `handle`, `handleFrames`, `send`, `trySend`, `trySendFrame`, `request`, `reply`, `closed`, `close`;
 *             plans for control, link, edge and single channels with their queues, limits and heartbeats.
 * group/      `dialChannel` (first connection, further ones kept up by `GroupKeeper`) and `ChannelAcceptor`
 *             (`admit(hello)` judges each connection by its certificates, `bind(channel)` registers handlers).
 */
export { Channel, type ChannelOptions, type SendOptions } from './channel/channel.ts'
export { ChannelError, type ChannelErrorCode, channelErrors } from './channel/channel-error.ts'
export type {
  ChannelClosing,
  ChannelCounters,
  ChannelObserver,
  CloseReason,
  UnderlayChange,
} from './channel/channel-events.ts'
export {
  type ChannelPlan,
  controlPlan,
  edgePlan,
  linkPlan,
  singlePlan,
  type UnderlayRule,
  withOutQueueSize,
} from './channel/channel-plan.ts'
export type { FrameHandler, MessageHandler } from './channel/dispatcher.ts'
export type { HeartbeatOptions } from './channel/heartbeat.ts'
export type { SendQueue } from './channel/send-queue.ts'
export type { ChannelClock, Surroundings, WireLog } from './channel/surroundings.ts'
export type { Underlay } from './channel/underlay.ts'
export {
  channelHeader,
  channelMessage,
  readResult,
  replyForOf,
  replyTo,
  resultMessage,
} from './frame/channel-headers.ts'
export { controlLimits, dataLimits, FrameBudget, type FrameLimits, helloLimits } from './frame/frame-limits.ts'
export { FrameReader, type FrameSink } from './frame/frame-reader.ts'
export { Headers } from './frame/headers.ts'
export { hasHopHeaders, withoutHopHeaders } from './frame/hop-headers.ts'
export { lastingBytes, lastingMessage } from './frame/lasting-bytes.ts'
export {
  bodyLengthAt,
  bodyStartAt,
  contentTypeAt,
  findHeader,
  fixedLength,
  HeaderScan,
  headerOverhead,
  headersLengthAt,
  scanHeaders,
  sequenceAt,
  valueLengthAt,
  writeContentType,
  writeSequence,
} from './frame/layout.ts'
export {
  decodeFrame,
  encodeFrame,
  encodeFrameHead,
  type Message,
  messageAt,
  type OutgoingMessage,
} from './frame/message.ts'
export { ProtocolError, type ProtocolErrorCode, protocolErrors } from './frame/protocol-error.ts'
export {
  type Admission,
  ChannelAcceptor,
  type ChannelAcceptorOptions,
  HelloRefusal,
  type ReceivedHello,
} from './group/channel-acceptor.ts'
export {
  type ChannelDialOptions,
  dialChannel,
  dialUnderlay,
  type GroupDialOptions,
  type UnderlayDialOptions,
} from './group/dial-channel.ts'
export {
  controlDialPolicy,
  DialPolicy,
  type DialPolicyOptions,
  linkDialPolicy,
  sdkDialPolicy,
} from './group/dial-policy.ts'
export { GroupKeeper, type GroupKeeperOptions } from './group/group-keeper.ts'
export { type ConnectOptions, maxHellosOf } from './group/hello-slots.ts'
export { decodeHello, encodeHello, type GroupPlace, type Hello, type HelloContent } from './hello/hello.ts'
export {
  decodeHelloAnswer,
  encodeHelloAnswer,
  encodeHelloRefusal,
  type HelloAnswer,
  HelloRefusedError,
  type RejectClass,
  rejectClasses,
} from './hello/hello-answer.ts'
export { unannounced } from './hello/unannounced.ts'
export { decodeVersionAnswer, encodeVersionAnswer } from './hello/version-answer.ts'
export {
  type Address,
  formatAddress,
  formatHostPort,
  parseAddress,
  parseHostPort,
  type TransportType,
  transportTypes,
} from './transport/address.ts'
export type { Connection, ConnectionListener } from './transport/connection.ts'
export { type DialOptions, dial } from './transport/dial.ts'
export { beginTlsWithFirstBytes } from './transport/first-bytes.ts'
export { HandshakeWindow, type HandshakeWindowOptions } from './transport/handshake-window.ts'
export type { HttpProxy } from './transport/http-connect.ts'
export { type PendingLimits, PendingSockets } from './transport/pending-sockets.ts'
export { tcpConnection, tlsConnection } from './transport/socket-connection.ts'
export { StreamConnection, type StreamFacts } from './transport/stream-connection.ts'
export { TcpPort } from './transport/tcp-port.ts'
export { type PortRegistration, type ProtocolHandler, TlsPort, type TlsPortOptions } from './transport/tls-port.ts'
export type { ClientMaterial, KeyedChain, ServerMaterial } from './transport/tls-settings.ts'
export { TransportError, type TransportErrorCode, transportErrors } from './transport/transport-error.ts'
export { WebSocketConnection, type WebSocketFacts } from './transport/web-socket-connection.ts'
export { WebSocketListener, type WebSocketListenerOptions } from './transport/web-socket-listener.ts'
export { WebSocketUpgrades, type WebSocketUpgradesOptions } from './transport/web-socket-upgrades.ts'
