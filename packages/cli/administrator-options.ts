/** The credentials of the default administrator on a command line, inside the bounds that a login has. */
import { UsageError } from './usage-error.ts'

export function readUsername(text: string): string {
  if (text.length < 4 || text.length > 100) throw new UsageError('the user name needs 4 to 100 characters (--username)')
  return text
}

/** The refusal does not repeat the password. */
export function readPassword(text: string): string {
  if (text.length < 5 || text.length > 100) throw new UsageError('the password needs 5 to 100 characters (--password)')
  return text
}
