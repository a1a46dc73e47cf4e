/** `weft pki create ca|intermediate|server|client|key|csr`: the single steps, with the flags of `ziti pki create`. */
import { type FolderEntry, PkiError, PkiFolder, parseTrustDomain, sortHosts } from '@weft/pki'
import { Command } from 'commander'
import { UsageError } from '../usage-error.ts'
import { chooseAuthority } from './choose-authority.ts'
import {
  collect,
  type KeyFlags,
  keyKindFrom,
  lifetimeFrom,
  type PkiFlags,
  readPathLength,
  type SubjectFlags,
  subjectFrom,
  withKeyFlags,
  withLifetimeFlag,
  withPkiFlags,
  withSubjectFlags,
} from './flags.ts'
import { entryJson, printEntries, printJson } from './show-entries.ts'

interface AuthorityFlags extends PkiFlags, KeyFlags, SubjectFlags {
  readonly caName?: string
  readonly expireLimit: number
  readonly maxPathLen: number
}

interface LeafFlags extends PkiFlags, KeyFlags, SubjectFlags {
  readonly caName?: string
  readonly keyFile?: string
  readonly spiffeId?: string
  readonly expireLimit: number
  readonly allowOverwrite?: boolean
}

type CaFlags = AuthorityFlags & { readonly caFile: string; readonly trustDomain?: string }
type IntermediateFlags = AuthorityFlags & { readonly intermediateFile: string; readonly intermediateName?: string }
type HostFlags = {
  readonly dns?: readonly string[]
  readonly ip?: readonly string[]
  readonly host?: readonly string[]
}
type ServerFlags = LeafFlags & HostFlags & { readonly serverFile: string; readonly serverName?: string }
type ClientFlags = LeafFlags & {
  readonly clientFile: string
  readonly clientName?: string
  readonly email?: readonly string[]
}
type NewKeyFlags = PkiFlags & KeyFlags & { caName?: string; keyFile: string; allowOverwrite?: boolean }
type CsrFlags = PkiFlags &
  KeyFlags &
  SubjectFlags &
  HostFlags & { caName?: string; csrFile: string; csrName: string; keyName?: string; allowOverwrite?: boolean }

const authorityDays = 3650
const leafDays = 365

/** In the order in which they are taken. */
export function stepCommands(): Command[] {
  return [caCommand(), intermediateCommand(), serverCommand(), clientCommand(), keyCommand(), csrCommand()].map(
    withPkiFlags,
  )
}

function caCommand(): Command {
  const command = new Command('ca')
    .description('make a root, to which all trust goes back')
    .option('--ca-file <name>', 'folder of the root in the PKI', 'ca')
    .option('--ca-name <name>', 'common name of the root (default: after its trust domain)')
    .option('--trust-domain <name>', 'SPIFFE trust domain of everything below it')
    .option('--max-path-len <number>', 'how many authorities may stand below each other; -1: any', readPathLength, -1)
  return withSubjectFlags(withKeyFlags(withLifetimeFlag(command, authorityDays))).action(
    step<CaFlags>('a root is never replaced; choose another name with --ca-file', async (folder, flags) => {
      const trustDomain = flags.trustDomain === undefined ? undefined : parseTrustDomain(flags.trustDomain)
      return folder.createRoot({
        name: flags.caFile,
        subject: subjectFrom(flags, flags.caName ?? `${trustDomain?.slice(0, 48) ?? 'Weft'} root`),
        lifetime: lifetimeFrom(flags),
        ...pathLengthFrom(flags),
        ...keyKindFrom(flags),
        ...(trustDomain !== undefined && { trustDomain }),
      })
    }),
  )
}

function intermediateCommand(): Command {
  const command = new Command('intermediate')
    .alias('i')
    .description('make an authority below a root, to sign what a controller issues')
    .option('--ca-name <name>', 'the authority that signs it (default: the root)')
    .option('--intermediate-file <name>', 'folder of the new authority in the PKI', 'intermediate')
    .option('--intermediate-name <name>', 'its common name (default: after its folder)')
    .option('--max-path-len <number>', 'how many authorities may stand below it', readPathLength, 0)
  return withSubjectFlags(withKeyFlags(withLifetimeFlag(command, authorityDays))).action(
    step<IntermediateFlags>(
      'an authority is never replaced; choose another name with --intermediate-file',
      async (folder, flags) =>
        folder.createIntermediate({
          authority: await chooseAuthority(folder, flags.caName, 'root'),
          name: flags.intermediateFile,
          subject: subjectFrom(flags, flags.intermediateName ?? flags.intermediateFile),
          lifetime: lifetimeFrom(flags),
          ...pathLengthFrom(flags),
          ...keyKindFrom(flags),
        }),
    ),
  )
}

function serverCommand(): Command {
  const command = withHostFlags(new Command('server'))
    .alias('s')
    .description('make a certificate for a server')
    .option('--server-file <name>', 'name of its files', 'server')
    .option('--server-name <name>', 'its common name (default: after its files)')
  return withLeafFlags(command).action(
    step<ServerFlags>(overwriteAdvice('--server-file'), async (folder, flags) => {
      const hosts = hostsFrom(flags)
      if (hosts.length === 0)
        throw new UsageError('a server needs a name that clients reach it by: give --dns, --ip or --host')
      return folder.createLeaf({
        ...(await leafFrom(folder, flags, flags.serverFile)),
        subject: subjectFrom(flags, flags.serverName ?? flags.serverFile),
        purpose: 'serverAuth',
        names: sortHosts(hosts),
      })
    }),
  )
}

function clientCommand(): Command {
  const command = new Command('client')
    .alias('c')
    .description('make a certificate for a client')
    .option('--client-file <name>', 'name of its files', 'client')
    .option('--client-name <name>', 'its common name (default: after its files)')
    .option('--email <addresses>', 'e-mail addresses in it', collect)
  return withLeafFlags(command).action(
    step<ClientFlags>(overwriteAdvice('--client-file'), async (folder, flags) =>
      folder.createLeaf({
        ...(await leafFrom(folder, flags, flags.clientFile)),
        subject: subjectFrom(flags, flags.clientName ?? flags.clientFile),
        purpose: 'clientAuth',
        ...(flags.email && { names: { email: flags.email } }),
      }),
    ),
  )
}

function keyCommand(): Command {
  const command = new Command('key')
    .alias('k')
    .description('make a key alone, for a certificate to come')
    .option('--ca-name <name>', 'the authority in whose folder it lies (default: the intermediate)')
    .option('--key-file <name>', 'name of its file', 'key')
    .option('--allow-overwrite', 'replace a key of that name')
  return withKeyFlags(command).action(
    step<NewKeyFlags>(overwriteAdvice('--key-file'), async (folder, flags) =>
      folder.createKey({
        authority: await chooseAuthority(folder, flags.caName, 'intermediate'),
        name: flags.keyFile,
        ...keyKindFrom(flags),
        ...existingFrom(flags),
      }),
    ),
  )
}

function csrCommand(): Command {
  const command = withHostFlags(new Command('csr'))
    .description('make a request for a certificate of an authority elsewhere')
    .option(
      '--ca-name <name>',
      'the authority in whose folder it lies (default: the one whose key is named, else the intermediate)',
    )
    .option('--csr-file <name>', 'name of its file', 'csr')
    .option('--csr-name <name>', 'common name that is asked for', 'Weft CSR')
    .option('--key-name <name>', 'key in that folder to ask for (default: a new one)')
    .option('--allow-overwrite', 'replace a request of that name')
  return withSubjectFlags(withKeyFlags(command)).action(
    step<CsrFlags>(overwriteAdvice('--csr-file'), async (folder, flags) => {
      const { keyName } = flags
      const isAuthority = keyName !== undefined && (await folder.authorities()).includes(keyName)
      const authority = await chooseAuthority(
        folder,
        flags.caName ?? (isAuthority ? keyName : undefined),
        'intermediate',
      )
      return folder.createCertificateRequest({
        authority,
        name: flags.csrFile,
        subject: subjectFrom(flags, flags.csrName),
        names: sortHosts(hostsFrom(flags)),
        ...keyKindFrom(flags),
        ...existingFrom(flags),
        ...(keyName !== undefined && { keyName }),
      })
    }),
  )
}

/** Runs one step and shows what it made; `advice` is what to do about a name that is taken. */
function step<Flags extends PkiFlags>(advice: string, make: (folder: PkiFolder, flags: Flags) => Promise<FolderEntry>) {
  return async (flags: Flags): Promise<void> => {
    const folder = new PkiFolder(flags.pkiRoot, { clock: Date })
    const entry = await make(folder, flags).catch((error: unknown) => {
      throw advised(error, {
        NAME_TAKEN: advice,
        NO_SUCH_AUTHORITY: `weft pki list --pki-root ${flags.pkiRoot} shows them`,
      })
    })
    if (flags.json) printJson(entryJson(entry))
    else printEntries([entry])
  }
}

/** The error with what to do next, where there is something to say. */
export function advised(error: unknown, advice: Partial<Record<PkiError['code'], string>>): unknown {
  const next = error instanceof PkiError ? advice[error.code] : undefined
  return next === undefined ? error : new UsageError(`${(error as PkiError).message}\n${next}`)
}

function overwriteAdvice(flag: string): string {
  return `choose another name with ${flag}, or replace it with --allow-overwrite`
}

function withHostFlags(command: Command): Command {
  return command
    .option('--dns <names>', 'DNS names that clients reach it by', collect)
    .option('--ip <addresses>', 'IP addresses that clients reach it by', collect)
    .option('--host <hosts>', 'names or addresses, whichever they are', collect)
}

function withLeafFlags(command: Command): Command {
  const more = command
    .option('--ca-name <name>', 'the authority that signs it (default: the intermediate)')
    .option('--key-file <name>', 'a key in the folder of that authority to certify (default: a new one)')
    .option('--spiffe-id <id>', 'SPIFFE id: complete, or a path such as controller/ctrl1 in the trust domain')
    .option('--allow-overwrite', 'replace a certificate of that name')
  return withSubjectFlags(withKeyFlags(withLifetimeFlag(more, leafDays)))
}

function hostsFrom({ dns = [], ip = [], host = [] }: HostFlags): string[] {
  return [...dns, ...ip, ...host]
}

async function leafFrom(folder: PkiFolder, flags: LeafFlags, name: string) {
  const { keyFile, spiffeId } = flags
  return {
    authority: await chooseAuthority(folder, flags.caName, 'intermediate'),
    name,
    lifetime: lifetimeFrom(flags),
    ...keyKindFrom(flags),
    ...existingFrom(flags),
    ...(keyFile !== undefined && { keyName: keyFile }),
    ...(spiffeId !== undefined && { spiffeId }),
  }
}

function existingFrom({ allowOverwrite }: { readonly allowOverwrite?: boolean }) {
  return allowOverwrite ? ({ existing: 'replace' } as const) : {}
}

function pathLengthFrom({ maxPathLen }: { readonly maxPathLen: number }): { readonly pathLength?: number } {
  return maxPathLen < 0 ? {} : { pathLength: maxPathLen }
}
