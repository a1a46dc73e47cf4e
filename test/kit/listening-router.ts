/** A router of ours that waits for its controller: it listens for controllers, and knows none that it could dial. */
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { freePort } from './free-port.ts'
import { type NewRouterProcess, RouterProcess } from './router-process.ts'

export interface ListeningRouter {
  readonly router: RouterProcess
  /** Where controllers reach it. */
  readonly address: string
}

export interface NewListeningRouter extends Omit<NewRouterProcess, 'sections'> {
  /** Of controllers that it is for. */
  readonly groups?: readonly string[]
}

/** Enrolls it; it does not run yet. */
export async function enrollListening({
  groups = ['default'],
  ...wanted
}: NewListeningRouter): Promise<ListeningRouter> {
  const router = await RouterProcess.enroll(wanted)
  const address = `tls:127.0.0.1:${await freePort()}`
  const text = await readFile(router.file, 'utf8')
  const listener = JSON.stringify({ bind: address, groups })
  const listeners = `ctrl:\n  startupTimeout: 120s\n  listeners:\n    - ${listener}\n`
  await writeFile(router.file, text.replace(/^ctrl:\n/mu, listeners))
  await forgetControllers(router)
  return { router, address }
}

/** It has to be dialled when it runs again. */
export async function forgetControllers({ file }: RouterProcess): Promise<void> {
  await rm(join(file, '..', 'endpoints.yml'), { force: true })
}
