/** What a PKI holds, as a table for people and as JSON for programs. */
import { relative } from 'node:path'
import { type FolderEntry, keyKindOf } from '@weft/pki'
import { renderTable } from '../table.ts'

/** The entry as JSON shows it; keys are named by their files and never shown. */
export function entryJson({ authority, name, kind, certificate, files, problem }: FolderEntry) {
  return {
    kind,
    authority,
    name,
    files,
    ...(certificate && {
      commonName: certificate.commonName,
      names: certificate.names,
      keyKind: keyKindOf(certificate.publicKey),
      notBefore: new Date(certificate.notBefore).toISOString(),
      notAfter: new Date(certificate.notAfter).toISOString(),
      serialNumber: certificate.x509.serialNumber.toLowerCase(),
      fingerprint: certificate.fingerprint,
    }),
    ...(problem !== undefined && { problem }),
  }
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`)
}

export function printEntries(entries: readonly FolderEntry[]): void {
  const head = ['KIND', 'AUTHORITY', 'NAME', 'COMMON NAME', 'KEY', 'ENDS', 'FILE']
  process.stdout.write(renderTable(head, entries.map(row)))
  for (const { problem } of entries) if (problem !== undefined) process.stdout.write(`\n${printable(problem)}\n`)
}

/** A path as a person in this directory would type it. */
export function shownPath(path: string | undefined): string {
  if (path === undefined) return ''
  const below = relative(process.cwd(), path)
  return below.startsWith('..') || below === '' ? path : below
}

function row({ kind, authority, name, certificate, files }: FolderEntry): string[] {
  const ends = certificate === undefined ? '' : new Date(certificate.notAfter).toISOString().slice(0, 10)
  const key = certificate === undefined ? '' : keyKindOf(certificate.publicKey)
  const file = files.chain ?? files.cert ?? files.request ?? files.key
  return [kind, authority, name, printable(certificate?.commonName ?? ''), key, ends, shownPath(file)]
}

/** Certificates of others may hold anything. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
}
