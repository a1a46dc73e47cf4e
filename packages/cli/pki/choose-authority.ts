/** Which authority signs when the command line does not say: the one of the usual name, or the only one there is. */
import type { PkiFolder } from '@weft/pki'
import { UsageError } from '../usage-error.ts'

/** What signs intermediates, and what signs leaves. */
export type Signer = 'root' | 'intermediate'

const usualName = { root: 'ca', intermediate: 'intermediate' } as const

export async function chooseAuthority(folder: PkiFolder, wanted: string | undefined, signer: Signer): Promise<string> {
  if (wanted !== undefined) return wanted
  const names = (await folder.list()).flatMap(({ kind, name }) => (kind === signer ? [name] : []))
  const [only] = names
  if (names.includes(usualName[signer])) return usualName[signer]
  if (only !== undefined && names.length === 1) return only
  const article = signer === 'root' ? 'a root' : 'an intermediate'
  if (only !== undefined)
    throw new UsageError(`${folder.root} has several; choose one with --ca-name: ${names.join(', ')}`)
  const step = signer === 'root' ? 'ca' : 'intermediate'
  throw new UsageError(
    `${folder.root} has no ${signer} to sign with; make ${article} first: weft pki create ${step} --pki-root ${folder.root}`,
  )
}
