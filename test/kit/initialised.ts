/** A configuration whose database has its administrator: ready to be run. */
import assert from 'node:assert/strict'
import { type Configuration, type ConfigurationOptions, writeConfiguration } from './configuration.ts'
import { admin, runWeft } from './controller-process.ts'

export async function initialised(home: string, options: ConfigurationOptions = {}): Promise<Configuration> {
  const configuration = await writeConfiguration(home, options)
  const { username, password } = admin
  await using init = runWeft(['controller', 'init', configuration.file, '-u', username, '-p', password])
  const { code } = await init.ended
  assert.equal(code, 0, init.stderr)
  return configuration
}
