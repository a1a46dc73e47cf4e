/**
 * Enrollment of the router that a configuration file describes: what is certified comes from its `csr`, and what it
 * needs from then on is written where the file says. Nothing is touched before the controller has answered.
 */
import { mkdir, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { AddressFault, type ProtocolAddress, parseProtocolAddress } from '@weft/model/config-file'
import { type EnrollDeps, enrollRouter, type KeyKind, type RouterFiles, writeRouterIdentity } from '@weft/pki'
import { unknownAt, writeEndpointsFile } from '../config/endpoints-file.ts'
import type { CsrConfig, RouterConfig } from '../config/router-config.ts'
import { channelProtocols } from '../config/transport-address.ts'
import { identityFilesOf } from './identity-files.ts'

export interface EnrollConfiguredOptions {
  /** What relative paths of the file are relative to. */
  readonly baseDirectory: string
  readonly keyKind?: KeyKind
  readonly signal?: AbortSignal
}

/** What came of it. */
export interface EnrolledConfiguredRouter {
  readonly routerId: string
  readonly files: RouterFiles
  readonly endpointsFile: string
  /** Where controllers are: as configured, or else as the token says. */
  readonly controllers: readonly string[]
  /** A model that was kept of the network it belonged to before, and is no more. */
  readonly removedModel: string | undefined
}

/** Refuses with `EnrollError` or `IdentityFileError`; a refused enrollment can be tried again with the same token. */
export async function enrollConfiguredRouter(
  config: RouterConfig,
  token: string,
  options: EnrollConfiguredOptions,
  deps: EnrollDeps = {},
): Promise<EnrolledConfiguredRouter> {
  const { baseDirectory, keyKind, signal } = options
  const files = identityFilesOf(config.identity, baseDirectory)
  const endpointsFile = resolve(baseDirectory, config.ctrl.endpointsFile)
  const router = await enrollRouter(token, { ...requestOf(config.csr), keyKind, signal }, deps)
  const controllers =
    config.ctrl.endpoints.length > 0 ? config.ctrl.endpoints : router.controllerAddresses.flatMap(readAddress)
  for (const path of [...Object.values(files), endpointsFile]) {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  }
  await writeEndpointsFile(endpointsFile, controllers.map(unknownAt))
  await writeRouterIdentity(files, router)
  return {
    routerId: router.routerId,
    files,
    endpointsFile,
    controllers: controllers.map(({ text }) => text),
    removedModel: await removeModel(config, baseDirectory),
  }
}

/** What is asked to be certified; without a `csr` section nothing is said of it. */
export function requestOf(csr: CsrConfig | undefined) {
  if (csr === undefined) return {}
  const { sans, ...subject } = csr
  const given = Object.entries(subject).filter(([, value]) => value !== undefined)
  return { subject: Object.fromEntries(given), names: sans }
}

function readAddress(written: string): ProtocolAddress[] {
  const address = parseProtocolAddress(written, channelProtocols, { lowestPort: 1, hostMayBeEmpty: false })
  return address instanceof AddressFault ? [] : [address]
}

async function removeModel({ edge }: RouterConfig, baseDirectory: string): Promise<string | undefined> {
  if (edge === undefined) return undefined
  const path = resolve(baseDirectory, edge.db)
  try {
    await rm(path)
    return path
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
