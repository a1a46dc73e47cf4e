import assert from 'node:assert/strict'
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { SecretSealer } from './sealed-secret.ts'

async function scratch(): Promise<{ file: string; directory: string; [Symbol.asyncDispose](): Promise<void> }> {
  const directory = await mkdtemp(join(tmpdir(), 'weft-seal-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  return { directory, file: join(directory, 'secrets.key'), [Symbol.asyncDispose]: remove }
}

test('what was sealed opens again, after a restart too', async () => {
  await using place = await scratch()
  const sealed = (await SecretSealer.open(place.file)).seal('JBSWY3DPEHPK3PXP', 'mfas/one')
  assert.doesNotMatch(sealed, /JBSWY3DPEHPK3PXP/)
  assert.equal((await SecretSealer.open(place.file)).unseal(sealed, 'mfas/one'), 'JBSWY3DPEHPK3PXP')
})

test('the key file is made for its owner alone, and nothing else is left beside it', async () => {
  await using place = await scratch()
  await SecretSealer.open(place.file)
  assert.equal((await stat(place.file)).mode & 0o777, 0o600)
  assert.deepEqual(await readdir(place.directory), ['secrets.key'])
})

test('two starts at once agree on one key', async () => {
  await using place = await scratch()
  const [one, two] = await Promise.all([SecretSealer.open(place.file), SecretSealer.open(place.file)])
  assert.equal(two.unseal(one.seal('x', 'a'), 'a'), 'x')
})

test('the same secret never looks the same twice', async () => {
  const sealer = new SecretSealer(Buffer.alloc(32, 7))
  assert.notEqual(sealer.seal('x', 'a'), sealer.seal('x', 'a'))
})

test('moved, altered or under another key it does not open', () => {
  const sealer = new SecretSealer(Buffer.alloc(32, 7))
  const sealed = sealer.seal('secret', 'mfas/one')
  const altered = sealed.slice(0, 10) + (sealed[10] === 'A' ? 'B' : 'A') + sealed.slice(11)
  const refused = { code: 'DOES_NOT_OPEN' }
  assert.throws(() => sealer.unseal(sealed, 'mfas/two'), refused)
  assert.throws(() => sealer.unseal(altered, 'mfas/one'), refused)
  assert.throws(() => sealer.unseal('', 'mfas/one'), refused)
  assert.throws(() => sealer.unseal('v1.AAAA', 'mfas/one'), refused)
  assert.throws(() => new SecretSealer(Buffer.alloc(32, 8)).unseal(sealed, 'mfas/one'), refused)
})

test('a key file that others can read, or that is none, is refused and left alone', async () => {
  await using place = await scratch()
  await SecretSealer.open(place.file)
  if (process.platform !== 'win32') {
    await chmod(place.file, 0o644)
    await assert.rejects(SecretSealer.open(place.file), { code: 'KEY_FILE_EXPOSED' })
  }
  await writeFile(place.file, 'short\n')
  await chmod(place.file, 0o600)
  await assert.rejects(SecretSealer.open(place.file), { code: 'BAD_KEY_FILE' })
  assert.equal(await readFile(place.file, 'utf8'), 'short\n')
})
