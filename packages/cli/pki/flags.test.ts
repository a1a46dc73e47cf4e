import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Command } from 'commander'
import {
  collect,
  type KeyFlags,
  keyKindFrom,
  lifetimeFrom,
  type SubjectFlags,
  subjectFrom,
  withKeyFlags,
  withLifetimeFlag,
  withSubjectFlags,
} from './flags.ts'

interface Flags extends KeyFlags, SubjectFlags {
  readonly expireLimit: number
}

function parsed(...args: string[]): Flags {
  const command = withSubjectFlags(withKeyFlags(withLifetimeFlag(new Command('test'), 365)))
  command.exitOverride().configureOutput({ writeErr: () => {} })
  return command.parse(args, { from: 'user' }).opts<Flags>()
}

test('keys are named as the stock tool names them, in any case and with or without a dash', () => {
  for (const [args, keyKind] of [
    [['--curve', 'P256'], 'P-256'],
    [['--curve', 'p-384'], 'P-384'],
    [['--curve', 'P521'], 'P-521'],
    [['--private-key-size', '4096'], 'RSA-4096'],
  ] as const) {
    assert.deepEqual(keyKindFrom(parsed(...args)), { keyKind })
  }
  assert.deepEqual(keyKindFrom(parsed()), {})
})

test('what is too weak, too large or contradictory is refused with what is wanted', () => {
  for (const [args, wanted] of [
    [['--curve', 'P224'], /P256, P384 or P521/],
    [['--curve', 'RSA-2048'], /P256, P384 or P521/],
    [['--private-key-size', '1024'], /2048, 3072 or 4096/],
    [['--expire-limit', '0'], /1 to 36500/],
    [['--expire-limit', '1.5'], /1 to 36500/],
  ] as const) {
    assert.throws(() => parsed(...args), wanted)
  }
  assert.throws(() => keyKindFrom(parsed('--curve', 'P256', '--private-key-size', '2048')), /not both/)
})

test('days become milliseconds', () => {
  assert.equal(lifetimeFrom(parsed()), 365 * 86_400_000)
  assert.equal(lifetimeFrom(parsed('--expire-limit', '2')), 2 * 86_400_000)
})

test('subjects hold what was given and nothing else', () => {
  assert.deepEqual(subjectFrom(parsed(), 'x'), { organization: 'Weft', commonName: 'x' })
  const flags = ['--pki-organization', 'Example', '--pki-country', 'US', '--pki-province', 'NC', '--pki-locality', 'C']
  assert.deepEqual(subjectFrom(parsed(...flags, '--pki-organizational-unit', 'Ops'), 'x'), {
    organization: 'Example',
    organizationalUnit: 'Ops',
    country: 'US',
    province: 'NC',
    locality: 'C',
    commonName: 'x',
  })
})

test('lists come with commas, repeated, or both', () => {
  assert.deepEqual(collect('c', collect('a, b,')), ['a', 'b', 'c'])
})
