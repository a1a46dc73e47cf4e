/** How identities are called that nobody has named. */
import { findOne, type View } from '../state/view.ts'

const symbols = /\[(caName|caId|commonName|requestedName|identityId)\]/g

export interface NameParts {
  readonly caName: string
  readonly caId: string
  readonly commonName: string
  /** As whoever enrolls would like to be called; empty when they do not say. */
  readonly requestedName: string
  readonly identityId: string
}

/** A CA's format with its symbols filled in; what is filled in is not looked at again. */
export function nameByFormat(format: string, parts: NameParts): string {
  return format.replace(symbols, (_symbol, part: keyof NameParts) => parts[part]).trim()
}

const LAST_NUMBER = 999_999

/** The name, or where it is taken the name with the first number that makes it free. */
export function freeName(view: View, name: string): string {
  const isTaken = (candidate: string) => findOne(view, 'identities', 'name', candidate) !== undefined
  let candidate = name
  for (let number = 1; isTaken(candidate) && number <= LAST_NUMBER; number++) {
    candidate = `${name}${String(number).padStart(6, '0')}`
  }
  return candidate
}
