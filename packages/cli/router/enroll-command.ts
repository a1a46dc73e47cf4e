/**
 * `weft router enroll FILE --jwt TOKEN`: from an invitation to certificates, with the flags that scripts for Go routers
 * pass.
 */
import { createReadStream } from 'node:fs'
import { renderProblems } from '@weft/model/config-file'
import { EnrollError, type KeyKind } from '@weft/pki'
import { enrollConfiguredRouter, loadRouterConfig } from '@weft/router'
import { Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../usage-error.ts'

interface EnrollFlags {
  readonly jwt: string
  readonly keyAlg: KeyKind
  readonly engine?: string
  readonly verbose?: boolean
}

const largestToken = 64 * 1024

export function enrollCommand(): Command {
  return new Command('enroll')
    .description('make the key and fetch the certificates of a router, with the token it was invited by')
    .argument('<file>', 'router configuration file')
    .requiredOption('-j, --jwt <token>', 'file with the enrollment token, - for standard input, or the token itself')
    .option('-a, --key-alg <name>', 'kind of key: EC (P-256) or RSA (4096 bits)', readKeyKind, 'P-256')
    .option('-v, --verbose', 'say what is written where')
    .addOption(new Option('--keyAlg <name>').argParser(readKeyKind).hideHelp())
    .addOption(new Option('-e, --engine <name>').hideHelp())
    .addOption(new Option('--log-formatter <name>').hideHelp())
    .action(enroll)
}

async function enroll(file: string, flags: EnrollFlags): Promise<void> {
  if (flags.engine) throw new UsageError('keys in an engine (--engine) are not supported; the key is kept in a file')
  const { config, warnings } = loadRouterConfig(file, process.env)
  if (warnings.length > 0) process.stderr.write(`${renderProblems(warnings)}\n`)
  if (config.csr === undefined) {
    throw new UsageError(
      `${file} has neither csr nor edge.csr, which say what is certified; for a router that nobody dials, add csr: {}`,
    )
  }
  const token = await readTokenArgument(flags.jwt)
  const enrolled = await enrollConfiguredRouter(config, token, {
    baseDirectory: process.cwd(),
    keyKind: flags.keyAlg,
  }).catch((error: unknown) => {
    throw advised(error)
  })
  const { routerId, files, endpointsFile, controllers, removedModel } = enrolled
  if (flags.verbose) {
    const written = [files.key, files.cert, files.serverCert, files.ca, endpointsFile]
    process.stderr.write(written.map((path) => `wrote ${path}\n`).join(''))
    if (removedModel !== undefined) process.stderr.write(`removed ${removedModel}, the model of its former network\n`)
  }
  if (controllers.length === 0) {
    process.stderr.write(`weft: no controller is known yet: add ctrl.endpoint to ${file}\n`)
  }
  process.stdout.write(`Enrolled as ${routerId}. Next: weft router run ${file}\n`)
}

/** A token has two dots and is long; anything else is the name of a file. */
async function readTokenArgument(argument: string): Promise<string> {
  if (/^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}$/u.test(argument)) return argument
  const source = argument === '-' ? process.stdin : createReadStream(argument)
  let token = ''
  try {
    for await (const chunk of source.setEncoding('utf8')) {
      token += chunk
      if (token.length > largestToken) throw new UsageError('that is too long for an enrollment token (--jwt)')
    }
    return token
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code, message } = error as NodeJS.ErrnoException
    throw new UsageError(
      code === 'ENOENT' ? `there is no file ${argument} (--jwt)` : `${argument} cannot be read (--jwt): ${message}`,
    )
  }
}

const advice: Partial<Record<EnrollError['code'], string>> = {
  TOKEN_EXPIRED: 'ask for a new one: re-enroll the router at its controller',
  UNKNOWN_METHOD: 'a router is enrolled with the token of a router',
  WRONG_SIGNER: 'the token is from another network, or the controller has other keys now',
}

function advised(error: unknown): unknown {
  if (!(error instanceof EnrollError)) return error
  const { code, refusal } = error
  const hint =
    refusal?.code === 'INVALID_ENROLLMENT_TOKEN'
      ? 'the token has been used, or was replaced by a newer one'
      : advice[code]
  return hint === undefined ? error : new UsageError(`${error.message}\n${hint}`)
}

function readKeyKind(text: string): KeyKind {
  const kinds: Readonly<Record<string, KeyKind>> = { RSA: 'RSA-4096', EC: 'P-256' }
  const kind = kinds[text.toUpperCase()]
  if (kind === undefined) throw new InvalidArgumentError('wanted EC or RSA')
  return kind
}
