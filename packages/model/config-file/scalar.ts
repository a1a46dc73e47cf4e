/**
 * What a scalar means, by the YAML 1.1 rules of the peers' parser, so that an existing file keeps its meaning:
 * `yes`, `on` and `y` are flags, `0700` is octal, `1_000` is a thousand. `12:30` is text.
 */
import type { ScalarNode } from './yaml-tree.ts'

export type ScalarValue =
  | { readonly type: 'nothing' }
  | { readonly type: 'flag'; readonly value: boolean }
  | { readonly type: 'text'; readonly value: string }
  | NumberValue

export type NumberValue =
  | { readonly type: 'integer'; readonly value: number }
  | { readonly type: 'number'; readonly value: number }

const nothing = new Set(['', '~', 'null', 'Null', 'NULL'])
const yes = new Set(['y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'])
const no = new Set(['n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'])
const decimal = /^[-+]?(?:0|[1-9][0-9]*)$/u
const based = /^([-+]?)0(?:([xX][0-9a-fA-F]+|[bB][01]+)|[oO]?([0-7]+))$/u
const float = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/u
const infinite = /^([-+]?)\.(?:inf|Inf|INF)$/u

/** The meaning of a scalar as written, before any environment substitution. */
export function scalarValue(node: ScalarNode): ScalarValue {
  const { text } = node
  if (!node.isPlain) return { type: 'text', value: text }
  if (nothing.has(text)) return { type: 'nothing' }
  if (yes.has(text)) return { type: 'flag', value: true }
  if (no.has(text)) return { type: 'flag', value: false }
  return numberIn(text) ?? { type: 'text', value: text }
}

/** The number a text spells, if it spells one. */
export function numberIn(text: string): NumberValue | undefined {
  if (!/^[-+.0-9]/u.test(text)) return undefined
  const plain = text.replaceAll('_', '')
  if (decimal.test(plain)) return { type: 'integer', value: Number(plain) + 0 }
  const digits = based.exec(plain)
  if (digits) {
    const size = Number(digits[2] === undefined ? `0o${digits[3]}` : `0${digits[2]}`)
    return { type: 'integer', value: digits[1] === '-' ? 0 - size : size }
  }
  if (float.test(plain)) return { type: 'number', value: Number(plain) }
  const sign = infinite.exec(plain)
  if (sign) return { type: 'number', value: sign[1] === '-' ? -Infinity : Infinity }
  return /^\.(?:nan|NaN|NAN)$/u.test(plain) ? { type: 'number', value: Number.NaN } : undefined
}
