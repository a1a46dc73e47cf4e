/** A large network, written into a database through the controller's own core: a day's clicking in some seconds. */
import { createLogger, loadControllerConfig, openCore, runOptions, systemClock } from '@weft/controller'
import type { Configuration } from './configuration.ts'

export interface NetworkSize {
  readonly identities: number
  readonly services: number
  readonly policies: number
}

const BATCH = 2_000
/** How many attributes there are; each identity and service carries three of them. */
const ATTRIBUTES = 1_000

export async function fillNetwork({ file }: Configuration, size: NetworkSize): Promise<void> {
  const { config } = loadControllerConfig(file, process.env)
  await using log = createLogger({ stream: process.stderr }, { level: 'error', format: 'text' })
  const where = { clock: systemClock, log, baseDirectory: process.cwd() }
  const { options, invitations } = await runOptions(config, where)
  const onFailure = (error: unknown) => {
    throw error
  }
  await using core = await openCore({ ...where, invitations, onFailure }, options)

  const fill = async (
    table: 'identities' | 'services' | 'servicePolicies',
    count: number,
    row: (at: number) => object,
  ) => {
    for (let from = 0; from < count; from += BATCH) {
      const make = (change: Parameters<Parameters<typeof core.kit.writeAsController>[0]>[0]) => {
        for (let at = from; at < Math.min(count, from + BATCH); at++) change.create(table, { ...row(at) })
      }
      await core.kit.writeAsController(make, { isJournaled: false })
    }
  }
  await fill('identities', size.identities, (at) => ({ name: `identity-${at}`, roleAttributes: attributes(at) }))
  await fill('services', size.services, (at) => ({ name: `service-${at}`, roleAttributes: attributes(at) }))
  await fill('servicePolicies', size.policies, (at) => ({
    ...{ name: `policy-${at}`, type: at % 2 ? 'Dial' : 'Bind', semantic: at % 3 ? 'AnyOf' : 'AllOf' },
    ...{ identityRoles: [`#role-${at % ATTRIBUTES}`], serviceRoles: [`#role-${at % ATTRIBUTES}`] },
  }))
}

function attributes(at: number): string[] {
  return [`role-${at % ATTRIBUTES}`, `role-${(at * 7 + 1) % ATTRIBUTES}`, `role-${(at * 13 + 5) % ATTRIBUTES}`]
}
