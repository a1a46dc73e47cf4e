/** Stores that earlier versions wrote, kept as test data: this version opens a copy of each and finds everything in it. */
import assert from 'node:assert/strict'
import { chmod, copyFile, glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { ApiClient, type Json } from './kit/api-client.ts'
import { writeConfiguration } from './kit/configuration.ts'
import { ControllerProcess, repository } from './kit/controller-process.ts'
import { integrityFindings } from './kit/integrity-check.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'
import { totpCode } from './kit/totp.ts'
import { type SampleSecrets, shownNetwork } from './stores/sample-network.ts'

const limits = { timeout: 60_000 }
const stores = join(repository, 'testdata', 'stores')
const files = await Array.fromAsync(glob('v*.db', { cwd: stores }))

interface Kept {
  readonly administrator: { readonly username: string; readonly password: string }
  readonly user: SampleSecrets
  readonly network: Record<string, Json[]>
}

describe('a store', () => {
  test('of at least one version is kept', () => assert.ok(files.includes('v1.db')))

  for (const file of files) {
    const name = file.replace('.db', '')

    test(`written as ${name} is found whole`, limits, async () => {
      const kept = JSON.parse(await readFile(join(stores, `${name}.json`), 'utf8')) as Kept
      await using folder = await temporaryFolder('store')
      const configuration = await writeConfiguration(folder.path)
      await copyFile(join(stores, file), configuration.database)
      await copyFile(join(stores, `${name}.key`), join(folder.path, 'secrets.key'))
      await chmod(join(folder.path, 'secrets.key'), 0o600)
      const journalBefore = journalOf(configuration.database)

      await using controller = await ControllerProcess.run(configuration)
      using admin = await ApiClient.login(controller, kept.administrator)
      const shown = await shownNetwork(admin)
      for (const [collection, rows] of Object.entries(kept.network)) {
        const byId = new Map(shown[collection]!.map((row) => [row['id'], row]))
        assert.equal(byId.size, rows.length, collection)
        // Later versions may show more, never something else.
        for (const row of rows) assert.partialDeepStrictEqual(byId.get(row['id']), row, collection)
      }
      assert.deepEqual(await integrityFindings(admin), [])
      await assertSecondFactorWorks(controller, kept.user)
      await admin.create('services', { name: 'written by this version', encryptionRequired: true })
      await controller.child.stop()
      const journalAfter = journalOf(configuration.database)
      assert.deepEqual(journalAfter.slice(0, journalBefore.length), journalBefore)
      assert.ok(journalAfter.length > journalBefore.length)
    })
  }
})

/** The password still opens a session, and the seed in the store still makes its codes. */
async function assertSecondFactorWorks(controller: ControllerProcess, user: SampleSecrets): Promise<void> {
  using client = await ApiClient.login(controller, user)
  assert.equal((await client.get('/services')).status, 401)
  // The code of the next step: this one may have been used when the store was made.
  const code = totpCode(user.totpSeed, Date.now() + 30_000)
  const answer = await client.post('/authenticate/mfa', { code })
  assert.equal(answer.status, 200, answer.text)
  assert.equal((await client.get('/services')).status, 200)
}

/** To be asked of copies only: SQLite leaves files beside what it reads. */
function journalOf(file: string): string[] {
  using database = new DatabaseSync(file, { readOnly: true })
  const lines = database.prepare('SELECT idx, ord, time, tbl, id, before, after FROM journal ORDER BY seq').all()
  return lines.map((line) => JSON.stringify(line))
}
