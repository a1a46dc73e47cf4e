/**
 * The file that keeps what controllers say of each other, in the form of the peers:
 *
 *     endpoints: [tls:c1.example.net:6262]
 *     controllers:
 *       - { id: c1, endpoints: [{ address: tls:c1.example.net:6262, groups: [] }] }
 *
 * The flat list is for programs that know no more. Enrollment does not know ids and writes them empty.
 */

import { dirname, join } from 'node:path'
import {
  ConfigError,
  listOf,
  loadConfigFile,
  type ProtocolAddress,
  required,
  section,
  text,
  withDefault,
} from '@weft/model/config-file'
import { writeFileAtomic } from '@weft/pki'
import { dialAddress } from './transport-address.ts'

/** Where one controller is reached. */
export interface ControllerEndpoint {
  readonly address: ProtocolAddress
  readonly groups: readonly string[]
}

/** A controller that the router knows of. */
export interface KnownController {
  /** Empty as long as no one has told. */
  readonly id: string
  readonly endpoints: readonly ControllerEndpoint[]
}

const fileMode = 0o600

const fileSchema = section({
  keys: {
    endpoints: withDefault(listOf(dialAddress()), [], 'Every address.'),
    controllers: withDefault(
      listOf(
        section({
          keys: {
            id: withDefault(text({ blank: 'absent' }), '', 'The id of the controller; empty for unknown.'),
            endpoints: withDefault(
              listOf(
                section({
                  keys: {
                    address: required(dialAddress(), 'Where it is reached.'),
                    groups: withDefault(listOf(text()), [], 'The groups that the address is for.'),
                  },
                }),
              ),
              [],
              'Where it is reached.',
            ),
          },
        }),
      ),
      [],
      'Every controller.',
    ),
  },
})

/** Reads the file; throws a ConfigError where it is missing or wrong. */
export function readEndpointsFile(path: string): readonly KnownController[] {
  const { config } = loadConfigFile({ schema: fileSchema, assemble: (file) => file }, path, {})
  const told = config.controllers.filter(({ endpoints }) => endpoints.length > 0)
  return told.length > 0 ? told : config.endpoints.map(unknownAt)
}

/** Writes the file; a reader and a process killed at any point see the old one or the new one. */
export async function writeEndpointsFile(path: string, controllers: readonly KnownController[]): Promise<void> {
  const known = controllers.map(({ id, endpoints }) => ({
    id,
    endpoints: endpoints.map(({ address, groups }) => ({ address: address.text, groups })),
  }))
  const all = known.flatMap(({ endpoints }) => endpoints.map(({ address }) => address))
  // JSON is YAML too; a line for each controller is enough for people.
  const lines = known.map((controller) => `  - ${JSON.stringify(controller)}\n`)
  const list = lines.length === 0 ? 'controllers: []\n' : `controllers:\n${lines.join('')}`
  await writeFileAtomic(path, `endpoints: ${JSON.stringify(all)}\n${list}`, fileMode)
}

/** What the router's file says about its controllers. */
export interface ConfiguredControllers {
  readonly endpoints: readonly ProtocolAddress[]
  readonly endpointsFile: string
  readonly isEndpointsFileNamed: boolean
}

/** Whom to connect to at start, and why it is not what was kept, if that could not be read. */
export interface FirstControllers {
  readonly controllers: readonly KnownController[]
  readonly unreadable: ConfigError | undefined
}

/** What was kept, or else what the router's file says. Older routers kept it in a file without an ending. */
export function findFirstControllers(ctrl: ConfiguredControllers): FirstControllers {
  const former = ctrl.isEndpointsFileNamed ? [] : [join(dirname(ctrl.endpointsFile), 'endpoints')]
  let unreadable: ConfigError | undefined
  for (const path of [ctrl.endpointsFile, ...former]) {
    try {
      const controllers = readEndpointsFile(path)
      if (controllers.length > 0) return { controllers, unreadable }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      if (error.code !== 'NO_FILE') unreadable ??= error
    }
  }
  return { controllers: ctrl.endpoints.map(unknownAt), unreadable }
}

/** A controller of which nothing but an address is known. */
export function unknownAt(address: ProtocolAddress): KnownController {
  return { id: '', endpoints: [{ address, groups: [] }] }
}
