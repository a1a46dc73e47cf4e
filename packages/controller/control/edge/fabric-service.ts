/**
 * Services that only the fabric knows. What a router asks for without naming an identity it gets for these alone: all others
 * are for those whom a policy allows.
 */
import type { TableRows } from '../../state/row.ts'
import { findOne, type View } from '../../state/view.ts'
import { EdgeRefusal } from './edge-refusal.ts'

/** By id or by name. */
export function fabricService(view: View, idOrName: string): TableRows['services'] {
  const service = view.get('services', idOrName) ?? findOne(view, 'services', 'name', idOrName)
  if (service?.isFabricOnly) return service
  throw new EdgeRefusal('invalidService', `there is no service ${idOrName} of the fabric`)
}
