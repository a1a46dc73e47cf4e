/**
 * The whole PKI of a controller in one go: a root, an intermediate that signs what is enrolled, and below that the
 * certificates with which the controller serves and dials. A root that is there already is kept, so that the next
 * controller of the same network is made by the same call.
 */
import { authoritySubject } from '../authority-subject.ts'
import { sortHosts } from '../hosts.ts'
import type { KeyKind } from '../keys.ts'
import { PkiError } from '../pki-error.ts'
import { formatSpiffeId, parseTrustDomain, spiffeIdOf } from '../spiffe.ts'
import type { FolderEntry } from './folder-entries.ts'
import { checkedFileName } from './folder-layout.ts'
import type { PkiFolder } from './pki-folder.ts'

/** Whose PKI. */
export interface NetworkPkiRequest {
  readonly trustDomain: string
  /** Names the intermediate's folder, and the controller in its certificates. */
  readonly controllerId: string
  /** DNS names and IP addresses under which the controller is reached. */
  readonly hosts: readonly string[]
  readonly rootName?: string
  readonly keyKind?: KeyKind
  /** Of the server's and the client's certificate. */
  readonly lifetime?: number
}

/** What was made, and the root that it hangs on. */
export interface NetworkPki {
  readonly root: FolderEntry
  /** False if it was there. */
  readonly isNewRoot: boolean
  readonly intermediate: FolderEntry
  readonly server: FolderEntry
  readonly client: FolderEntry
}

/** The folder of the root unless told otherwise; the other tools look there first. */
export const defaultRootName = 'ca'

/** Refuses, before it writes anything, what it could not finish. */
export async function createNetworkPki(folder: PkiFolder, request: NetworkPkiRequest): Promise<NetworkPki> {
  const { controllerId, hosts, rootName = defaultRootName, keyKind, lifetime } = request
  const trustDomain = parseTrustDomain(request.trustDomain)
  const names = sortHosts(hosts)
  const spiffeId = formatSpiffeId({ kind: 'controller', trustDomain, controllerId })
  const authority = checkedFileName(controllerId)
  const present = await folder.authorities()
  if (authority === rootName || present.includes(authority))
    throw new PkiError('NAME_TAKEN', `the authority "${authority}" in ${folder.root}`)
  const isNewRoot = !present.includes(rootName)
  if (!isNewRoot) await checkTrustDomain(folder, rootName, trustDomain)

  const key = keyKind && { keyKind }
  const root = isNewRoot
    ? await folder.createRoot({ name: rootName, subject: authoritySubject(trustDomain, 'root'), trustDomain, ...key })
    : (await folder.list()).find(({ name, authority: at }) => name === rootName && at === rootName)!
  const subject = authoritySubject(controllerId, 'intermediate')
  const intermediate = await folder.createIntermediate({ authority: rootName, name: authority, subject, ...key })
  const leaf = { authority, subject: { commonName: controllerId }, spiffeId, ...key, ...(lifetime && { lifetime }) }
  const server = await folder.createLeaf({ ...leaf, name: 'server', purpose: 'serverAuth', names })
  const client = await folder.createLeaf({ ...leaf, name: 'client', purpose: 'clientAuth' })
  return { root, isNewRoot, intermediate, server, client }
}

async function checkTrustDomain(folder: PkiFolder, rootName: string, wanted: string): Promise<void> {
  const { authority } = await folder.loadAuthority(rootName)
  const found = spiffeIdOf(authority.certificate)?.trustDomain
  if (found !== wanted) {
    throw new PkiError('PKI_DIFFERENT', `its root names the trust domain "${found ?? ''}", wanted "${wanted}"`)
  }
}
