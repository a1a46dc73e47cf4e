/**
 * `weft enroll` and `weft extend`: from an enrollment token to an identity file, and a new certificate for one that is
 * there. `weft edge enroll` is the same under the name that `ziti` gives it.
 */
import { access, constants, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import {
  EnrollError,
  type EnrolledIdentity,
  type EnrollIdentityOptions,
  encodeCertificates,
  enrollIdentity,
  extendIdentityFile,
  parseCertificates,
  parseLeafCertificate,
  writeIdentityFile,
} from '@weft/pki'
import { Command, InvalidArgumentError } from 'commander'
import { UsageError } from '../usage-error.ts'

interface EnrollFlags {
  readonly jwt?: string
  readonly out?: string
  readonly cert?: string
  readonly key?: string
  readonly ca?: string
  readonly idname?: string
  readonly username?: string
  readonly password?: string
  readonly keyAlg: 'EC' | 'RSA'
  readonly extJwt?: string
  readonly rm?: boolean
  readonly allowOverwrite?: boolean
  readonly json?: boolean
}

const maxFileBytes = 1024 * 1024

export function enrollCommand(): Command {
  return new Command('enroll')
    .description('enroll an identity with its token, and write its identity file')
    .argument('[token]', 'file of the enrollment token (JWT)')
    .option('-j, --jwt <file>', 'the same')
    .option('-o, --out <file>', 'identity file to write (default: the name of the token, with .json)')
    .option('-c, --cert <file>', 'certificate of a third-party CA to enroll with')
    .option('-k, --key <file>', 'key of that certificate')
    .option('--ca <file>', 'certificates to trust beside those of the network')
    .option('-n, --idname <name>', 'name of the identity, where a third-party CA leaves it open')
    .option('-u, --username <name>', 'for scripts that give it: the token decides the user name')
    .option('-p, --password <password>', 'password to set (default: WEFT_PASSWORD)')
    .option('-a, --keyAlg <kind>', 'kind of the key that is made: EC or RSA', readKeyAlgorithm, 'EC')
    .option('--ext-jwt <file>', 'token of an identity provider to enroll with')
    .option('--rm', 'remove the token once it is used')
    .option('--allow-overwrite', 'replace an identity file that is there')
    .option('--json', 'print JSON')
    .action(enroll)
}

/** What `ziti edge` has of this kind. */
export function edgeCommand(): Command {
  return new Command('edge').description('Identities of a network.').addCommand(enrollCommand())
}

export function extendCommand(): Command {
  return new Command('extend')
    .description('give an identity file a new certificate before the present one ends')
    .argument('<file>', 'identity file')
    .option('--new-key', 'with a new key (default: if an administrator has asked for one)')
    .option('--json', 'print JSON')
    .action(extend)
}

async function enroll(token: string | undefined, flags: EnrollFlags): Promise<void> {
  const tokenFile = token ?? flags.jwt
  if (tokenFile === undefined) throw new UsageError('which token? weft enroll TOKEN.jwt')
  const jwt = await readTextFile(tokenFile)
  const options = await optionsFrom(flags)
  const more = flags.ca === undefined ? [] : parseCertificates(await readTextFile(flags.ca))
  const out = flags.out ?? `${tokenFile.replace(/\.jwt$/, '')}.json`
  // Before the token is used up: what cannot be written afterwards would be lost.
  const reserved = await reserve(out, flags)
  let enrolled: EnrolledIdentity
  try {
    enrolled = await enrollIdentity(jwt, options)
  } catch (error) {
    if (reserved) await rm(out, { force: true })
    throw advised(error)
  }
  const { file } = enrolled
  const ca = (file.id.ca ?? '') + encodeCertificates(more)
  await writeIdentityFile(out, { ...file, id: { ...file.id, ca } })
  if (flags.rm) await rm(tokenFile)
  report(out, enrolled, flags)
}

function report(out: string, { method, file, username }: EnrolledIdentity, { json }: EnrollFlags): void {
  const inline = file.id.cert?.startsWith('pem:') ? file.id.cert.slice('pem:'.length) : undefined
  const certificate = inline === undefined ? undefined : parseLeafCertificate(inline)
  const notAfter = certificate && new Date(certificate.notAfter).toISOString()
  if (json) {
    const shown = { method, file: resolve(out), controller: file.ztAPI, username, notAfter }
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
    return
  }
  const until =
    notAfter === undefined ? '' : ` Its certificate ends ${notAfter.slice(0, 10)}; before that: weft extend ${out}`
  const login = username === undefined ? '' : ` Log in as ${username}.`
  process.stdout.write(`Enrolled. The identity file is ${out}.${login}${until}\n`)
}

async function extend(path: string, { newKey, json }: { readonly newKey?: boolean; readonly json?: boolean }) {
  const { certificate, hasNewKey, isResumed } = await extendIdentityFile(path, newKey ? { key: 'new' } : {})
  const notAfter = new Date(certificate.notAfter).toISOString()
  if (json) {
    const { fingerprint } = certificate
    const shown = { file: resolve(path), notAfter, fingerprint, hasNewKey, isResumed }
    process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`)
    return
  }
  const key = hasNewKey ? ' and a new key' : ''
  process.stdout.write(`${path} has a new certificate${key}. It ends ${notAfter.slice(0, 10)}.\n`)
}

async function optionsFrom(flags: EnrollFlags): Promise<EnrollIdentityOptions> {
  const { cert, key, idname } = flags
  if ((cert === undefined) !== (key === undefined)) throw new UsageError('give --cert and --key together')
  const password = flags.password ?? process.env['WEFT_PASSWORD']
  return {
    keyKind: flags.keyAlg === 'RSA' ? 'RSA-3072' : 'P-256',
    ...(cert !== undefined && key !== undefined && { certificate: await ownCertificate(cert, key) }),
    ...(idname !== undefined && { name: idname }),
    ...(password !== undefined && { password }),
    ...(flags.extJwt !== undefined && {
      external: { token: (await readTextFile(flags.extJwt)).trim(), credential: 'certificate' as const },
    }),
  }
}

/** The identity file says where the two are, so that they can be replaced without it. */
async function ownCertificate(cert: string, key: string) {
  return {
    certPem: await readTextFile(cert),
    keyPem: await readTextFile(key),
    sources: { cert: `file://${resolve(cert)}`, key: `file://${resolve(key)}` },
  }
}

/** True if the name was free and is taken now. */
async function reserve(out: string, { allowOverwrite }: EnrollFlags): Promise<boolean> {
  if (allowOverwrite) {
    await access(dirname(resolve(out)), constants.W_OK)
    return false
  }
  try {
    await (await open(out, 'wx', 0o600)).close()
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    throw new UsageError(`${out} is there already; choose another --out, or replace it with --allow-overwrite`)
  }
}

function advised(error: unknown): unknown {
  if (!(error instanceof EnrollError) || error.code !== 'MISSING_INPUT') return error
  return new UsageError(
    `${error.message}\ngive --cert and --key for a third-party CA, --password for a user name, --ext-jwt for an identity provider`,
  )
}

async function readTextFile(path: string): Promise<string> {
  const { size } = await stat(path)
  if (size > maxFileBytes) throw new UsageError(`${path} is larger than ${maxFileBytes} bytes`)
  return readFile(path, 'utf8')
}

function readKeyAlgorithm(text: string): 'EC' | 'RSA' {
  const kind = text.toUpperCase()
  if (kind !== 'EC' && kind !== 'RSA') throw new InvalidArgumentError('wanted EC or RSA')
  return kind
}
