/**
 * `weft pki`: the certificates of a network, in a directory that `ziti pki` and `openssl ca` work on as well.
 *
 * `create` alone makes everything a controller needs; what stands beside it are the single steps.
 */
import { createNetworkPki, defaultRootName, type FolderEntry, type NetworkPki, PkiFolder } from '@weft/pki'
import { Command } from 'commander'
import { chooseAuthority } from '../pki/choose-authority.ts'
import {
  collect,
  type KeyFlags,
  keyKindFrom,
  lifetimeFrom,
  type PkiFlags,
  withKeyFlags,
  withLifetimeFlag,
  withPkiFlags,
} from '../pki/flags.ts'
import { entryJson, printEntries, printJson, shownPath } from '../pki/show-entries.ts'
import { advised, stepCommands } from '../pki/steps.ts'

interface NetworkFlags extends PkiFlags, KeyFlags {
  readonly trustDomain: string
  readonly host?: readonly string[]
  readonly controller: string
  readonly caFile: string
  readonly expireLimit: number
}

interface RenewFlags extends PkiFlags {
  readonly caName?: string
  readonly expireLimit: number
}

const loopbacks = ['localhost', '127.0.0.1', '::1']
const leafDays = 365

export function pkiCommand(): Command {
  const create = new Command('create').description('make all that a controller needs, or take a single step')
  create.addCommand(networkCommand(), { isDefault: true })
  for (const step of stepCommands()) create.addCommand(step)
  const list = withPkiFlags(new Command('list')).description('show what the PKI holds').action(listEntries)
  return new Command('pki')
    .description('Make and look at the certificates of a network.')
    .addCommand(create)
    .addCommand(renewCommand())
    .addCommand(list)
}

function renewCommand(): Command {
  const command = new Command('renew')
    .description('issue certificates of servers and clients once more, for the same keys and names')
    .argument('<names...>', 'names of their files, such as server and client')
    .option('--ca-name <name>', 'the authority that has signed them (default: the intermediate)')
  return withPkiFlags(withLifetimeFlag(command, leafDays)).action(renew)
}

function networkCommand(): Command {
  const command = new Command('network')
    .description('root, intermediate, server and client certificate in one go; what "create" alone does')
    .requiredOption('--trust-domain <name>', 'SPIFFE trust domain: the name of the network')
    .option('--host <hosts>', 'names and addresses that the controller is reached by, beside localhost', collect)
    .option('--controller <name>', 'name of the controller, and of the intermediate that signs for it', 'controller')
    .option('--ca-file <name>', 'folder of the root; one that is there is used', defaultRootName)
  return withPkiFlags(withKeyFlags(withLifetimeFlag(command, leafDays))).action(createNetwork)
}

async function createNetwork(flags: NetworkFlags): Promise<void> {
  const { pkiRoot, trustDomain, host = [], controller, caFile } = flags
  const folder = new PkiFolder(pkiRoot, { clock: Date })
  const made = await createNetworkPki(folder, {
    trustDomain,
    controllerId: controller,
    hosts: [...new Set([...loopbacks, ...host])],
    rootName: caFile,
    lifetime: lifetimeFrom(flags),
    ...keyKindFrom(flags),
  }).catch((error: unknown) => {
    throw advised(error, {
      NAME_TAKEN:
        'for a further controller give it a name with --controller; ' +
        'for a further certificate: weft pki create server; for a new one in place of the old: weft pki renew',
      PKI_DIFFERENT: 'choose another --pki-root, or the trust domain of the root that is there',
    })
  })
  const { root, intermediate, server, client } = made
  if (flags.json) {
    const entries = Object.entries({ root, intermediate, server, client })
    printJson(Object.fromEntries(entries.map(([role, entry]) => [role, entryJson(entry)])))
    return
  }
  printEntries([root, intermediate, server, client])
  process.stdout.write(nextSteps(made))
}

/** Paths are quoted as JSON, which is YAML too. */
function nextSteps({ root, intermediate, server, client, isNewRoot }: NetworkPki): string {
  const path = (file: string | undefined) => JSON.stringify(file)
  const advice = isNewRoot
    ? `\nThe key of the root is needed only for further controllers; keep it in a safe place: ${shownPath(root.files.key)}\n`
    : ''
  return `
For the controller's configuration file:

identity:
  cert: ${path(client.files.chain)}
  key: ${path(client.files.key)}
  server_cert: ${path(server.files.chain)}
  server_key: ${path(server.files.key)}
  ca: ${path(root.files.cert)}
edge:
  enrollment:
    signingCert:
      cert: ${path(intermediate.files.cert)}
      key: ${path(intermediate.files.key)}
${advice}`
}

async function renew(names: readonly string[], flags: RenewFlags): Promise<void> {
  const folder = new PkiFolder(flags.pkiRoot, { clock: Date })
  const authority = await chooseAuthority(folder, flags.caName, 'intermediate')
  const entries: FolderEntry[] = []
  for (const name of names) {
    const entry = await folder.renewLeaf({ authority, name, lifetime: lifetimeFrom(flags) }).catch((error: unknown) => {
      throw advised(error, listAdvice(flags))
    })
    entries.push(entry)
  }
  if (flags.json) printJson(entries.map(entryJson))
  else printEntries(entries)
}

function listAdvice({ pkiRoot }: PkiFlags) {
  const advice = `weft pki list --pki-root ${pkiRoot} shows what there is`
  return { NO_SUCH_AUTHORITY: advice, NO_SUCH_CERTIFICATE: advice }
}

async function listEntries({ pkiRoot, json }: PkiFlags): Promise<void> {
  const folder = new PkiFolder(pkiRoot, { clock: Date })
  const entries = await folder.list()
  if (json) printJson(entries.map(entryJson))
  else if (entries.length > 0) printEntries(entries)
  else
    process.stdout.write(
      `${folder.root} holds no PKI. Make one: weft pki create --pki-root ${pkiRoot} --trust-domain NAME\n`,
    )
}
