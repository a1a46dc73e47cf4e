/**
 * Services as the fabric shows them: what it routes to, whoever made them. Those made here are the fabric's alone, and the
 * edge never learns of them.
 */
import { restricted } from '../../resource-kit/fields.ts'
import { defineResource } from '../../resource-kit/resource.ts'
import { serviceFields } from '../services.ts'

const { name, terminatorStrategy, maxIdleTimeMillis, isFabricOnly } = serviceFields

const fields = {
  name,
  terminatorStrategy,
  maxIdleTimeMillis,
  isFabricOnly,
  roleAttributes: restricted(serviceFields.roleAttributes, { setBy: 'server', shown: 'never' }),
  configs: restricted(serviceFields.configs, { setBy: 'server', shown: 'never' }),
}

export const fabricServices = defineResource({
  collection: 'services',
  singular: 'service',
  table: 'services',
  permission: 'admin',
  fields,
  idKind: 'short',
  initial: { isFabricOnly: true },
  sublists: {
    terminators: {
      of: 'terminators',
      ids: (id, view) => view.find('terminators', 'serviceId', id).map((row) => row.id),
      operationId: 'listServiceTerminators',
      isLinked: true,
    },
  },
})
