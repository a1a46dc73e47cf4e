/** Where a controller dials a router: the router says where it listens for which groups, the controller which are its own. */
import type { TableRows } from '../../state/row.ts'

/** The group of a listener that names none. */
const USUAL_GROUPS = ['default']

export function dialledAddresses(
  { ctrlChanListeners }: Pick<TableRows['routers'], 'ctrlChanListeners'>,
  groups: readonly string[],
): readonly string[] {
  return Object.entries(ctrlChanListeners)
    .filter(([, listed]) => (listed.length === 0 ? USUAL_GROUPS : listed).some((group) => groups.includes(group)))
    .map(([address]) => address)
}
