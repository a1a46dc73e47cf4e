/** Parts of a router that need a few lines to be put together. */
import { resolve } from 'node:path'
import { DataModel, stateOf } from '@weft/model/data-model'
import type { RouterConfig } from './config/router-config.ts'
import type { Controllers } from './control/controllers.ts'
import { loadModelFile, ModelKeeper } from './data-model/model-file.ts'
import { ModelSubscription } from './data-model/model-subscription.ts'
import { IdentityFileError, identityFilesOf } from './enroll/identity-files.ts'
import type { LinkReadings } from './health/router-checks.ts'
import type { RouterIdentity } from './identity/router-identity.ts'
import type { Link } from './link/link.ts'
import { CertificateRenewal, type RenewalController } from './renewal/certificate-renewal.ts'
import { type RouterDeps, type RouterOptions, StartupTimeoutError } from './router-options.ts'

const verificationPatience = 10_000

/** The model of the last run serves until a controller sends a newer one. */
export async function openModel(
  { clock, log }: RouterDeps,
  { config, baseDirectory }: RouterOptions,
  routerId: string,
  controllers: Controllers,
  parts: AsyncDisposableStack,
): Promise<ModelSubscription> {
  const path = config.edge === undefined ? undefined : resolve(baseDirectory, config.edge.db)
  const kept =
    path === undefined
      ? undefined
      : await loadModelFile(path).catch((err: unknown) => {
          log.warn('the kept data model cannot be used; a controller will send it', { path, err })
          return undefined
        })
  const model = new ModelSubscription(
    { controllers, clock, log },
    { routerId, kept: kept === undefined ? undefined : DataModel.of(kept, { routerId }) },
  )
  if (path !== undefined && config.edge !== undefined) {
    const keptModel = {
      get revision() {
        return model.revision
      },
      state: () => stateOf(model.model),
    }
    parts.use(new ModelKeeper({ model: keptModel, log }, { path, interval: config.edge.dbSaveInterval }).start())
  }
  return model
}

/** Certificates that do not lie in files of their own are renewed by whoever put them there. */
export function startRenewal(
  { clock, log }: RouterDeps,
  { config, baseDirectory, isRenewalForced = false }: RouterOptions,
  identity: RouterIdentity,
  controller: () => RenewalController | undefined,
): CertificateRenewal | undefined {
  try {
    const files = identityFilesOf(config.identity, baseDirectory)
    const deps = { identity, controller, now: () => clock.now(), log }
    return new CertificateRenewal(deps, { csr: config.csr, files, isForced: isRenewalForced }).start()
  } catch (err) {
    if (!(err instanceof IdentityFileError)) throw err
    log.warn('the router does not renew its certificates by itself', { err })
    return undefined
  }
}

export async function verifyRouter(controllers: Controllers, routerId: string, fingerprint: string): Promise<void> {
  const controller = await controllers.whenAny(verificationPatience)
  if (controller === undefined) throw new Error(`no controller can confirm who ${routerId} is`)
  const { message } = await controller.request(
    'verifyRouter',
    { body: { routerId, fingerprints: [fingerprint] } },
    { timeoutMilliseconds: verificationPatience },
  )
  if (!message.success) throw new Error(`${routerId} is not who it says: ${message.body}`)
}

/** A router that never reaches a controller is of no use, and whoever started it should know. */
export function expectController(
  controllers: Controllers,
  timeout: number,
  { onFailure }: RouterDeps,
  parts: AsyncDisposableStack,
): void {
  if (timeout <= 0) return
  const timer = setTimeout(() => onFailure(new StartupTimeoutError(timeout)), timeout)
  controllers.onConnect(() => clearTimeout(timer))
  parts.defer(() => clearTimeout(timer))
}

export function linkReadings(link: Link): LinkReadings {
  const ends = link.connState().conns.map(({ type, ...addresses }) => [type, addresses] as const)
  return {
    linkId: link.id,
    destRouterId: link.facts.routerId,
    latency: link.metrics.latency.distribution().mean,
    addresses: Object.fromEntries(ends),
  }
}

export function proxyOf({ proxy }: RouterConfig) {
  if (proxy === undefined) return undefined
  const { address, username, password } = proxy
  return {
    host: address.host,
    port: address.port,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  }
}
