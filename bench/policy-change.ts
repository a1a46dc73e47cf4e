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

  /** The change may be given up by the server and take effect nevertheless: only the reader counts. */
  const untilVisible = async (change: Promise<unknown>, wanted: number) => {
    const started = performance.now()
    const answered = change.then(
      () => undefined,
      (error: Error) => error,
    )
    for (;;) {
      const seen = await reachable()
      const passed = performance.now() - started
      if (seen === wanted) {
        const refusal = await answered
        if (refusal !== undefined && contender.isOurs) throw refusal
        return passed
      }
      if (passed > milliseconds) throw new Error(`not visible after ${milliseconds / 1000} s`)
    }
  }

  const name = `everything-${performance.now()}`
  const roles = { identityRoles: ['#all'], serviceRoles: ['#all'] }
  const body = { name, type: 'Dial', semantic: 'AnyOf', ...roles }
  const granted = await untilVisible(contender.callOn(writer, 'POST', '/service-policies', body), everything)
  const filter = encodeURIComponent(`name = "${name}"`)
  const { data } = await contender.callOn<{ id: string }[]>(reader, 'GET', `/service-policies?filter=${filter}`)
  const path = `/service-policies/${data[0]!.id}`
  const write = (method: string, part?: object) => contender.callOn(writer, method, path, part)
  const revoked = await untilVisible(write('PATCH', { serviceRoles: ['#of-no-service'] }), before)
  await untilVisible(write('PATCH', { serviceRoles: ['#all'] }), everything)
  const deleted = await untilVisible(write('DELETE'), before)
  return { granted, revoked, deleted, slowestRead }
}
