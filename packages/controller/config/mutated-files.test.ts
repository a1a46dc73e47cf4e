/**
 * Files that were damaged at random: each loads or is refused with places, and nothing else ever happens.
 * WEFT_MUTATIONS sets how many are tried.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ConfigError } from '@weft/model/config-file'
import { loadControllerConfig } from './load-controller-config.ts'

const folder = join(import.meta.dirname, '../../../testdata/controller-config')
const rounds = Number(process.env['WEFT_MUTATIONS'] ?? 400)
const pieces = [
  ...[
    '\t',
    ' ',
    '\n',
    ':',
    ': ',
    '- ',
    '"',
    "'",
    '[',
    ']',
    '{',
    '}',
    '#',
    '&a ',
    '*a',
    '<<: *a',
    '!!x ',
    '|\n',
    '>',
    '%',
  ],
  ...[
    '~',
    'null',
    '0',
    '-1',
    '1e999',
    '99999999999999999999',
    'yes',
    '${',
    '$X',
    '\\',
    '---\n',
    '...\n',
    '\u00e9',
    '\ud83d\ude00',
  ],
]

/** A small generator of random numbers with a seed, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

function mutate(text: string, pick: (below: number) => number): string {
  const at = pick(text.length)
  const lines = text.split('\n')
  const line = pick(lines.length)
  switch (pick(6)) {
    case 0:
      return text.slice(0, at) + pieces[pick(pieces.length)] + text.slice(at)
    case 1:
      return text.slice(0, at) + text.slice(at + 1 + pick(8))
    case 2:
      return lines.toSpliced(line, 1 + pick(3)).join('\n')
    case 3:
      return lines.toSpliced(pick(lines.length), 0, lines[line]!).join('\n')
    case 4:
      return lines.with(line, `${' '.repeat(pick(6))}${lines[line]!.trimStart()}`).join('\n')
    default:
      return lines.with(line, lines[line]!.replace(/:.*$/, `: ${pieces[pick(pieces.length)]}`)).join('\n')
  }
}

test('a damaged file loads or is refused with places', () => {
  const originals = ['minimal.yml', 'standalone.yml', 'clustered.yml'].map((name) =>
    readFileSync(join(folder, name), 'utf8'),
  )
  const outcomes = { loaded: 0, refused: 0 }
  for (let seed = 1; seed <= rounds; seed++) {
    const pick = random(seed)
    let text = originals[seed % originals.length]!
    for (let count = 1 + pick(4); count > 0; count--) text = mutate(text, pick)
    try {
      loadControllerConfig({ fileName: 'ctrl.yml', text }, { PKI: '/pki' })
      outcomes.loaded++
    } catch (error) {
      assert.ok(error instanceof ConfigError, `seed ${seed}: ${(error as Error).stack}`)
      assert.equal(error.code, 'BAD_FILE')
      assert.match(error.message, /^ctrl\.yml:\d+:\d+ {2}/, `seed ${seed}`)
      outcomes.refused++
    }
  }
  assert.ok(outcomes.loaded > rounds / 20 && outcomes.refused > rounds / 20, JSON.stringify(outcomes))
})
