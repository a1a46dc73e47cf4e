/**
 * The home of a network that `weft start` keeps: its certificates, its database and its configuration file.
 *
 * Everything is made once and found again; the configuration file is an ordinary one, to be edited or run with
 * `weft controller run`. One for another place lies beside it until the controller runs there: a start that is refused,
 * because the home is in use or the port is taken, changes nothing for whoever runs.
 */
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { systemClock } from '@weft/controller'
import { createPki, type PkiFiles } from '@weft/pki'
import { UsageError } from './usage-error.ts'

export interface HomeOptions {
  readonly home?: string
  readonly port?: number
  /** The host that clients are told; other than loopback, every interface is listened on. */
  readonly address?: string
}

export interface Home {
  readonly directory: string
  readonly configFile: string
  readonly caFile: string
  readonly url: string
  /** The host that others reach it by. */
  readonly address: string
  readonly port: number
  /** From now on it is what the next start finds. */
  keep(): Promise<void>
  /** Leaves what was there before. */
  discard(): Promise<void>
}

/** Where the network of a home is reached: kept, so that a second start need not be told again. */
interface Place {
  readonly port: number
  readonly address: string
}

const firstPlace: Place = { port: 1280, address: '127.0.0.1' }

/** Where programs keep their data on this system. */
export function defaultHome(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (environment['WEFT_HOME']) return environment['WEFT_HOME']
  if (platform === 'win32') return join(environment['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'weft')
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'weft')
  return join(environment['XDG_DATA_HOME'] || join(homedir(), '.local', 'share'), 'weft')
}

const loopbacks = ['localhost', '127.0.0.1', '::1']

export async function ensureHome({ home: wanted, port, address }: HomeOptions): Promise<Home> {
  const directory = resolve(wanted ?? defaultHome(process.env, process.platform))
  if (directory.includes('$')) {
    throw new UsageError(
      `the home may not have a $ in its path, which its configuration file would read as a variable: ${directory}`,
    )
  }
  await mkdir(directory, { recursive: true, mode: 0o700 })
  await chmod(directory, 0o700)
  const known = await knownPlace(directory)
  const place = {
    port: port ?? known?.port ?? firstPlace.port,
    address: address ?? known?.address ?? firstPlace.address,
  }
  const { files } = await createPki({
    directory: join(directory, 'pki'),
    trustDomain: 'weft',
    controllerId: 'controller',
    // The former address stays while nobody knows whether the new one will be served.
    hosts: [...new Set([...loopbacks, ...(known === undefined ? [] : [known.address]), place.address])],
    clock: systemClock,
  })
  const url = `https://${bracketed(place.address)}:${place.port}`
  const home = { directory, caFile: files.caBundle, url, address: place.address, port: place.port }
  const configFile = join(directory, 'controller.yml')
  if (known?.port === place.port && known.address === place.address) {
    return { ...home, configFile, keep: async () => {}, discard: async () => {} }
  }
  const proposed = `${configFile}.${process.pid}`
  await writeFile(proposed, controllerFile(directory, files, place), { mode: 0o600 })
  return {
    ...home,
    configFile: proposed,
    async keep() {
      await rename(proposed, configFile)
      await writeFile(placeFile(directory), `${JSON.stringify(place)}\n`, { mode: 0o600 })
    },
    discard: () => rm(proposed, { force: true }),
  }
}

function placeFile(directory: string): string {
  return join(directory, 'place.json')
}

async function knownPlace(directory: string): Promise<Place | undefined> {
  try {
    return JSON.parse(await readFile(placeFile(directory), 'utf8')) as Place
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new UsageError(`${placeFile(directory)} cannot be read; remove it and start again`)
  }
}

/** Paths are quoted as JSON, which is YAML too. */
function controllerFile(directory: string, files: PkiFiles, { port, address }: Place): string {
  const quoted = JSON.stringify
  const advertised = `${bracketed(address)}:${port}`
  const listening = listenOn(address, port)
  return `# Written by "weft start" and then yours: it is written again only for another --port or --address.
v: 3
db: ${quoted(join(directory, 'controller.db'))}
identity:
  cert: ${quoted(files.clientChain)}
  key: ${quoted(files.clientKey)}
  server_cert: ${quoted(files.serverChain)}
  server_key: ${quoted(files.serverKey)}
  ca: ${quoted(files.caBundle)}
ctrl:
  listener: ${quoted(`tls:${listening}`)}
  options:
    advertiseAddress: ${quoted(`tls:${advertised}`)}
edge:
  api:
    address: ${quoted(advertised)}
  enrollment:
    signingCert:
      cert: ${quoted(files.intermediateCert)}
      key: ${quoted(files.intermediateKey)}
web:
  - name: api
    bindPoints:
      - interface: ${quoted(listening)}
        address: ${quoted(advertised)}
    apis:
      - binding: edge-management
      - binding: edge-client
      - binding: fabric
      # Open to anyone who can reach this port:
      # - binding: health-checks
      # - binding: metrics
`
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Loopback names are listened on themselves; any other name means that the network is to be reached from outside. */
function listenOn(address: string, port: number): string {
  if (address === 'localhost') return `127.0.0.1:${port}`
  return loopbacks.includes(address) ? `${bracketed(address)}:${port}` : `[::]:${port}`
}
