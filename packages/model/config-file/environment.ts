/**
 * Environment substitution in text values, as the peers' programs do it: `$NAME` and `${NAME}`, a variable that is not
 * set stands for nothing, and there is no way to write a default or a literal `$NAME`.
 */
import { tmpdir } from 'node:os'

/** The environment a file is read in. */
export type Environment = Readonly<Record<string, string | undefined>>

/** A text after substitution, and the names in it that are not set. */
export interface Expanded {
  readonly text: string
  readonly isChanged: boolean
  readonly unset: readonly string[]
}

const reference = /\$(?:\{([*#$@!?\-0-9])\}|\{([^}]*)\}|(\{)|([*#$@!?\-0-9])|([A-Za-z0-9_]+))/gu

/** Replaces every reference in a text. */
export function expandEnvironment(text: string, environment: Environment): Expanded {
  if (!text.includes('$')) return { text, isChanged: false, unset: [] }
  const unset: string[] = []
  const expanded = text.replace(reference, (_all, special1, braced, _openBrace, special2, bare) => {
    const name: string = special1 ?? braced ?? special2 ?? bare ?? ''
    // `${}` and a `${` that is never closed name nothing and vanish.
    if (name === '') return ''
    const value = lookUp(name, environment)
    if (value === undefined) unset.push(name)
    return value ?? ''
  })
  return { text: expanded, isChanged: expanded !== text, unset }
}

/** The peers set these three to the directory for temporary files before they read a file, so that each can be used. */
function lookUp(name: string, environment: Environment): string | undefined {
  if (name === 'TMP' || name === 'TEMP' || name === 'TMPDIR') return environment['TMPDIR'] || tmpdir()
  return Object.hasOwn(environment, name) ? environment[name] : undefined
}
