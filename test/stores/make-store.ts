/**
 * Writes a store of this version as test data, so that every later version can show that it reads it.
 *
 *   node test/stores/make-store.ts      once, when the layout of the store has a new version
 *
 * The secrets in it are made for it and open nothing else.
 */
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { ApiClient } from '../kit/api-client.ts'
import { admin, ControllerProcess, repository } from '../kit/controller-process.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'
import { makeSampleNetwork, shownNetwork } from './sample-network.ts'

await using home = await temporaryFolder('store')
const database = join(home.path, 'controller.db')
const record = await makeStore()
const version = smallAndWhole()
const target = join(repository, 'testdata', 'stores')
await mkdir(target, { recursive: true })
await copyFile(database, join(target, `v${version}.db`))
await copyFile(join(home.path, 'secrets.key'), join(target, `v${version}.key`))
await writeFile(join(target, `v${version}.json`), `${JSON.stringify(record, undefined, 1)}\n`)
console.log(`testdata/stores/v${version}.db`)

async function makeStore() {
  await using controller = await ControllerProcess.start({ home: home.path })
  using client = await ApiClient.login(controller)
  const user = await makeSampleNetwork(controller, client)
  return { administrator: admin, user, network: await shownNetwork(client) }
}

function smallAndWhole(): number {
  using file = new DatabaseSync(database)
  file.exec('PRAGMA wal_checkpoint(TRUNCATE); VACUUM')
  return Number(file.prepare('PRAGMA user_version').get()!['user_version'])
}
