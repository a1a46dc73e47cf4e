/** What a router says of itself in every hello to a controller, and what it demands of the answer. */
import { arch, platform } from 'node:process'
import { Certificate } from '@weft/pki'
import type { Headers, Underlay } from '@weft/wire'
import {
  capabilityMask,
  controlHello,
  controllerCapability,
  hasCapability,
  type LinkListener,
  routerCapability,
} from '@weft/wire/messages'
import { networkVersion } from '../version.ts'

/** What this router really does. */
const capabilities = capabilityMask([routerCapability.multiChannel, routerCapability.routerDataModel])

const versionParts = 5

/** `version|revision|buildDate|os|arch`, with the names that Go gives to systems and processors. */
const versionText = [
  networkVersion,
  'weft',
  'unknown',
  platform === 'win32' ? 'windows' : platform,
  arch === 'x64' ? 'amd64' : arch,
].join('|')

/** Where controllers that dial their routers reach this one. */
export interface ControlListenerAddress {
  readonly address: string
  readonly groups: readonly string[]
}

/** Where the router can be dialled is of this moment: a controller that forgot it is told again. */
export function routerHelloHeaders(
  listeners: readonly LinkListener[],
  forControllers: readonly ControlListenerAddress[],
): Headers {
  const fields = {
    version: versionText,
    capabilities,
    ...(listeners.length > 0 ? { listeners: { listeners } } : {}),
    ...(forControllers.length > 0 ? { ctrlChanListeners: { listeners: forControllers } } : {}),
  }
  return controlHello.encode('hello', fields).headers
}

/** What a controller says at first, and over which connection. */
export type SaidHello = Pick<Underlay, 'peerId' | 'headers' | 'connection'>

/** What the answer says. */
export interface ControllerFacts {
  readonly controllerId: string
  readonly version: string
  readonly capabilities: bigint
}

/** A controller that this router cannot work with. */
export class UnfitControllerError extends Error {
  readonly code = 'UNFIT_CONTROLLER'

  constructor(message: string) {
    super(message)
    this.name = 'UnfitControllerError'
  }
}

/** Throws `UnfitControllerError` for a controller that this router cannot work with. */
export function readControllerHello(underlay: SaidHello): ControllerFacts {
  const { version, capabilities: mask = 0n } = controlHello.decodeHeaders('answer', underlay.headers)
  if (!hasCapability(mask, controllerCapability.jwtLegacySessions)) {
    throw new UnfitControllerError('the controller is older than 2.0: its sessions cannot be verified')
  }
  const parts = version.split('|')
  if (parts.length !== versionParts || parts[0] === '') throw new UnfitControllerError('its version has not five parts')
  const controllerId = underlay.peerId === '' ? nameOf(underlay) : underlay.peerId
  if (controllerId === '') throw new UnfitControllerError('the controller does not say who it is')
  return { controllerId, version: parts[0]!, capabilities: mask }
}

/** Before there was an id in the answer, the certificate said it. */
function nameOf({ connection }: SaidHello): string {
  const [leaf] = connection.certificates
  return leaf === undefined ? '' : Certificate.fromDer(leaf).commonName
}
