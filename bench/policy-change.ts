/**
 * How long it takes until a policy over everything has its effect: from sending the change to the first answer, on another
 * connection, that shows it. The reader looks again and again, so what it sees is what any client would have seen.
 */
import type { Contender } from './contender.ts'
import { LoadConnection } from './load/connection.ts'
import type { SeededIds } from './network.ts'

export interface PolicyChange {
  /** Milliseconds until everybody may reach everything, until nobody may any more, and until the policy is gone. */
  readonly granted: number
  readonly revoked: number
  readonly deleted: number
  /** The longest that a read took meanwhile. */
  readonly slowestRead: number
}

/** Throws when a change is not visible within this time. */
export interface PolicyChangeOptions {
  readonly milliseconds: number
}

export async function changePolicy(
  contender: Contender,
  ids: SeededIds,
  { milliseconds }: PolicyChangeOptions,
): Promise<PolicyChange> {
  using writer = await LoadConnection.open(contender.endpoint, { keepsBody: true })
  using reader = await LoadConnection.open(contender.endpoint, { keepsBody: true })
  let slowestRead = 0
  const identity = ids.identities.at(-1)!

  const reachable = async () => {
    const asked = performance.now()
    const { meta } = await contender.callOn(reader, 'GET', `/identities/${identity}/services?limit=1`)
    slowestRead = Math.max(slowestRead, performance.now() - asked)
    return meta.pagination!.totalCount
  }
  const before = await reachable()
  const everything = ids.services.length

  const untilVisible = async <T>(change: Promise<T>, wanted: number) => {
    const started = performance.now()
    let visibleAfter: number | undefined
    while (visibleAfter === undefined) {
      const seen = await reachable()
      const passed = performance.now() - started
      if (seen === wanted) visibleAfter = passed
      else if (passed > milliseconds) throw new Error(`${contender.name}: not visible after ${milliseconds} ms`)
    }
    return { visibleAfter, answer: await change }
  }

  const body = {
    name: `everything-${performance.now()}`,
    type: 'Dial',
    semantic: 'AnyOf',
    identityRoles: ['#all'],
    serviceRoles: ['#all'],
  }
  const created = contender.callOn<{ id: string }>(writer, 'POST', '/service-policies', body)
  const granted = await untilVisible(created, everything)
  const path = `/service-policies/${granted.answer.data.id}`
  const revoked = await untilVisible(
    contender.callOn(writer, 'PATCH', path, { serviceRoles: ['#of-no-service'] }),
    before,
  )
  await untilVisible(contender.callOn(writer, 'PATCH', path, { serviceRoles: ['#all'] }), everything)
  const deleted = await untilVisible(contender.callOn(writer, 'DELETE', path), before)
  return {
    granted: granted.visibleAfter,
    revoked: revoked.visibleAfter,
    deleted: deleted.visibleAfter,
    slowestRead,
  }
}
