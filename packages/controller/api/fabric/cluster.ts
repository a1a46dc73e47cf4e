/**
 * The controllers of the network, as tools for clusters ask. A controller alone is a cluster of one: it leads, it cannot be
 * left without a member, and nobody can join through it.
 */
import { ApiError, refusal } from '../../operation/api-error.ts'
import { empty } from '../../operation/envelope.ts'
import type { Answer, Call, Operation } from '../../operation/operation.ts'
import { requestContract } from '../../resource-kit/body-contracts.ts'
import { defineFields, flag, text } from '../../resource-kit/fields.ts'
import { networkVersion } from '../../version.ts'

export interface ClusterOptions {
  readonly controllerId: string
  /** Where routers reach this controller. */
  readonly ctrlAddress: string
}

const LONGEST = 4_096

const newMember = defineFields({
  address: text({ max: LONGEST, required: 'on create' }),
  isVoter: flag({ required: 'on create' }),
})
const leavingMember = defineFields({ id: text({ max: LONGEST, required: 'on create' }) })
const newLeader = defineFields({ newLeaderId: text({ max: LONGEST }) })

export function clusterOperations({ controllerId, ctrlAddress }: ClusterOptions): Operation[] {
  const self = {
    id: controllerId,
    address: ctrlAddress,
    voter: true,
    leader: true,
    readOnly: false,
    connected: true,
    version: networkVersion,
  }
  return [
    {
      operationId: 'clusterListMembers',
      method: 'GET',
      path: '/cluster/list-members',
      access: 'admin',
      handle: () => ({ status: 200, body: { data: [self] } }),
    },
    {
      operationId: 'clusterMemberAdd',
      method: 'POST',
      path: '/cluster/add-member',
      access: 'admin',
      body: requestContract('member', newMember),
      handle({ body }: Call<{ readonly address: string }>): Answer {
        if (body.address === ctrlAddress) return empty
        throw refusal('INVALID_FIELD', `the value '${body.address}' for 'address' is invalid: ${CANNOT_JOIN}`)
      },
    },
    {
      operationId: 'clusterMemberRemove',
      method: 'POST',
      path: '/cluster/remove-member',
      access: 'admin',
      body: requestContract('member', leavingMember),
      handle({ body }: Call<{ readonly id: string }>): Answer {
        if (body.id === controllerId) throw refusal('INVALID_FIELD', 'the only member cannot be removed')
        return empty
      },
    },
    {
      operationId: 'clusterTransferLeadership',
      method: 'POST',
      path: '/cluster/transfer-leadership',
      access: 'admin',
      body: requestContract('member', newLeader),
      handle({ body: { newLeaderId = '' } }: Call<{ readonly newLeaderId?: string }>): Answer {
        if (newLeaderId === '' || newLeaderId === controllerId) return empty
        const reason = `no cluster node found with id ${newLeaderId}`
        throw new ApiError('INVALID_FIELD', { cause: { field: 'newLeaderId', reason, value: newLeaderId } })
      },
    },
  ]
}

const CANNOT_JOIN = 'this controller keeps its data in a file of its own, which a second controller cannot share'
