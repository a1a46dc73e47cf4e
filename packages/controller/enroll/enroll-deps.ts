import { type Clock, timestamp } from '../clock.ts'
import type { Kit } from '../resource-kit/kit.ts'
import type { NetworkSigner } from './network-signer.ts'

/** What every way to enroll works with. */
export interface EnrollDeps {
  readonly kit: Kit
  readonly clock: Clock
  readonly signer: NetworkSigner
}

/** The time as rows write it. */
export function present({ clock }: Pick<EnrollDeps, 'clock'>): string {
  return timestamp(clock.now())
}
