/**
 * Which configs a service or a router may carry: those made for it, and one of each type.
 */
import { fieldError, refusal } from '../operation/api-error.ts'
import type { Change } from '../resource-kit/change.ts'

const wording = {
  service: { plural: 'services', only: 'Only one config of a given typed is allowed per service ' },
  router: { plural: 'routers', only: 'Only one config of a given type is allowed per router' },
} as const

export function checkConfigs(change: Change, ids: readonly string[], carrier: 'service' | 'router'): void {
  const { plural, only } = wording[carrier]
  const value = `[${ids.join(' ')}]`
  const seen = new Map<string, string>()
  for (const id of ids) {
    const config = change.view.get('configs', id)
    if (config === undefined) throw refusal('NOT_FOUND', `configs with id ${id} not found`)
    const type = change.get('configTypes', config.configTypeId)
    if (type.target !== carrier) {
      const reason = `config ${config.name} has config type ${type.name} which does not target ${plural}`
      throw fieldError('configs', reason, value)
    }
    const other = seen.get(type.id)
    if (other !== undefined) {
      const reason = `duplicate configs named ${other} and ${config.name} found for config type ${type.name}. ${only}`
      throw fieldError('configs', reason, value)
    }
    seen.set(type.id, config.name)
  }
}
