/**
 * Churn: entities, sessions and refusals come and go, and in the end the controller holds what it held before. With
 * WEFT_LONG the rounds are many; a leak of a hundred bytes in each would show.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import { ApiClient, type Json } from './kit/api-client.ts'
import { ControllerProcess, admin as credentials } from './kit/controller-process.ts'
import { HeapProbe, inspectable } from './kit/heap-probe.ts'
import { MEBIBYTE, residentBytes } from './kit/process-memory.ts'

const rounds = process.env.WEFT_LONG ? 200 : 6
const ENTITIES = 40
/**
 * What a round may leave behind: a revocation for each identity that was deleted, kept for a day, and what the engine
 * learns. The entities themselves would be several times as much.
 */
const LEFT_BY_ROUND = 0.12 * MEBIBYTE

test('a controller holds no more after many rounds of work than after few', { timeout: rounds * 20_000 }, async (t) => {
  await using controller = await ControllerProcess.start({ nodeFlags: inspectable })
  using admin = await ApiClient.login(controller)
  using probe = await HeapProbe.attach(controller)
  for (let round = 0; round < 3; round++) await work(controller, admin, round)
  const heapBefore = await probe.heldBytes()
  const residentBefore = await residentBytes(controller.pid)
  const heaps: number[] = []
  for (let round = 0; round < rounds; round++) {
    await work(controller, admin, round)
    heaps.push(await probe.heldBytes())
  }
  const resident = await residentBytes(controller.pid)
  const shown = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(1)} MiB`
  t.diagnostic(`heap ${shown(heapBefore)}, then ${heaps.slice(-6).map(shown).join(', ')}; resident ${shown(resident)}`)
  // The least of the last ones: one may have been taken while something was still being closed.
  const left = Math.min(...heaps.slice(-3)) - heapBefore
  assert.ok(left < LEFT_BY_ROUND * (rounds + 4), `the heap has grown by ${shown(left)}`)
  assert.ok(resident - residentBefore < 80 * MEBIBYTE, `resident memory has grown from ${shown(residentBefore)}`)
})

/** A list that is looked through and shows nothing: what is shown is kept for a while, for whoever asks next. */
const nothing = `filter=${encodeURIComponent('name contains "nothing of that name"')}`

/** Makes, changes, lists and removes things of many kinds, and is refused in many ways. */
async function work(controller: ControllerProcess, admin: ApiClient, round: number): Promise<void> {
  const name = (at: number) => `churn-${round}-${at}`
  const ids = async (collection: string, body: (at: number) => Json) =>
    Promise.all(Array.from({ length: ENTITIES }, (_, at) => admin.create(collection, body(at))))
  const attributes = (at: number) => ({ roleAttributes: ['all', name(at)], tags: { round, at } })
  const made: Record<string, string[]> = {
    identities: await ids('identities', (at) => ({
      ...{ name: name(at), type: 'User', isAdmin: false, enrollment: { ott: true }, ...attributes(at) },
    })),
    services: await ids('services', (at) => ({ name: name(at), encryptionRequired: true, ...attributes(at) })),
    'edge-routers': await ids('edge-routers', (at) => ({
      name: `router ${name(at)}`,
      isTunnelerEnabled: at % 2 === 0,
    })),
    'service-policies': await ids('service-policies', (at) => ({
      ...{ name: name(at), type: 'Dial', semantic: 'AnyOf' },
      ...{ identityRoles: [`#${name(at)}`], serviceRoles: [`#${name(at)}`] },
    })),
    'config-types': await ids('config-types', (at) => ({
      ...{ name: name(at), schema: { type: 'object', properties: { a: { type: 'string', pattern: `^${at}+$` } } } },
    })),
  }
  const [firstType] = made['config-types']!
  made['configs'] = await ids('configs', (at) => ({ name: name(at), configTypeId: firstType, data: { at } }))
  for (const identity of made['identities']!.slice(0, 10))
    await admin.get(`/identities/${identity}/services?${nothing}`)
  for (let at = 0; at < ENTITIES; at++) {
    await admin.patch(`/services/${made['services']![at]}`, { roleAttributes: [name(at)] })
    await admin.get(`/identities?filter=${encodeURIComponent(`name contains "no ${name(at)}" sort by name`)}`)
    await admin.get(`/services?filter=${encodeURIComponent(`nonsense${'x'.repeat(at)} = 1`)}`)
    await admin.post('/services', { name: name(at) })
    await admin.get(`/nowhere/${name(at)}`)
  }
  for (let at = 0; at < 3; at++) {
    using other = await ApiClient.login(controller, credentials)
    await other.get('/current-identity')
    await other.delete('/current-api-session')
  }
  for (const collection of ['configs', ...Object.keys(made).filter((key) => key !== 'configs')]) {
    const replies = await Promise.all(made[collection]!.map((id) => admin.delete(`/${collection}/${id}`)))
    for (const { status, text } of replies) assert.equal(status, 200, text)
  }
}
