/** `weft router config NAME`: the configuration file of a new router. */
import { writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { dirname, resolve } from 'node:path'
import { AddressFault, parseHostPort } from '@weft/model/config-file'
import { writeRouterConfig } from '@weft/router'
import { Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../usage-error.ts'

const tunnelModes = ['none', 'host', 'tproxy', 'proxy'] as const

interface ConfigFlags {
  readonly controller?: string
  readonly host: string
  readonly edgePort: number
  readonly linkPort: number
  readonly wss?: boolean
  readonly private?: boolean
  readonly fabric?: boolean
  readonly tunnel: (typeof tunnelModes)[number]
  readonly lanInterface?: string
  readonly directory?: string
  readonly output?: string
  readonly force?: boolean
}

export function configCommand(): Command {
  return new Command('config')
    .description('write a configuration file with everything a new router needs, and all else as comments')
    .argument('<name>', 'name of the router')
    .option(
      '--controller <host:port>',
      'control channel of the controller (default: what the token says)',
      readController,
    )
    .option('--host <host>', 'host that clients and other routers reach it by', readHost, hostname())
    .option('--edge-port <port>', 'port for clients', readPort, 3_022)
    .option('--link-port <port>', 'port for links; may be that for clients', readPort, 10_080)
    .option('--wss', 'let clients come by WebSocket, as browsers do')
    .option('--private', 'do not listen for links of other routers')
    .option('--fabric', 'serve no clients, only carry')
    .addOption(
      new Option('--tunnel <mode>', 'what it does for services of its own identity')
        .choices(tunnelModes)
        .default('host'),
    )
    .option('--lan-interface <name>', 'interface to intercept at, with --tunnel tproxy')
    .option('--directory <path>', 'where certificates and keys are to lie (default: beside the file)')
    .option('-o, --output <file>', 'where to write it, - for standard output (default: NAME.yml)')
    .option('--force', 'write over a file that is there')
    .action(config)
}

async function config(name: string, flags: ConfigFlags): Promise<void> {
  if (!/^[^/\\\s$][^/\\$\0]{0,99}$/u.test(name)) {
    throw new UsageError('the name becomes part of file names: at most 100 characters, without / \\ and $')
  }
  const output = flags.output ?? `${name}.yml`
  const isShown = output === '-' || output === 'stdout'
  const directory = resolve(flags.directory ?? (isShown ? '.' : dirname(output)))
  if (directory.includes('$')) {
    throw new UsageError(
      `the directory may not have a $ in its path, which the file would read as a variable: ${directory}`,
    )
  }
  if (flags.lanInterface !== undefined && flags.tunnel !== 'tproxy') {
    throw new UsageError('--lan-interface says where to intercept, which needs --tunnel tproxy')
  }
  const text = writeRouterConfig({
    name,
    directory,
    controller: flags.controller,
    host: flags.host,
    edgePort: flags.edgePort,
    linkPort: flags.linkPort,
    isWebSocket: flags.wss === true,
    isPrivate: flags.private === true,
    isEdge: flags.fabric !== true,
    tunnel: flags.fabric === true ? 'none' : flags.tunnel,
    lanInterface: flags.lanInterface,
  })
  if (isShown) {
    process.stdout.write(text)
    return
  }
  await write(output, text, flags.force === true ? 'w' : 'wx')
  process.stdout.write(`Wrote ${output}. Next: weft router enroll ${output} --jwt FILE\n`)
}

async function write(path: string, text: string, flag: 'w' | 'wx'): Promise<void> {
  try {
    await writeFile(path, text, { flag, mode: 0o600 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`${path} is there already; --force writes over it`)
  }
}

function readPort(text: string): number {
  const port = /^[0-9]{1,5}$/u.test(text) ? Number(text) : 0
  if (port < 1 || port > 65_535) throw new InvalidArgumentError('wanted 1 to 65535')
  return port
}

function readController(text: string): string {
  const address = parseHostPort(text.replace(/^tls:/u, ''), { lowestPort: 1, hostMayBeEmpty: false })
  if (address instanceof AddressFault) throw new InvalidArgumentError(`wanted host:port, found ${address.found}`)
  return address.text
}

function readHost(text: string): string {
  const host = text.replace(/^\[(.*)\]$/u, '$1')
  const address = parseHostPort(host.includes(':') ? `[${host}]:1` : `${host}:1`, {
    lowestPort: 1,
    hostMayBeEmpty: false,
  })
  if (address instanceof AddressFault) throw new InvalidArgumentError(`wanted a host name or an IP address`)
  return host
}
