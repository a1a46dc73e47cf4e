import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { mayAccess, related, routersOfIdentity, routersOfService } from '@weft/model'
import { accessView, isSelectable } from '../policies/access-view.ts'
import { Change } from '../resource-kit/change.ts'
import { NaiveAccess } from '../testing/naive-access.ts'
import { RandomPolicies } from '../testing/random-policies.ts'
import { Seeded } from '../testing/seeded.ts'
import { TestController } from '../testing/test-controller.ts'
import { Overlay } from './overlay.ts'
import { type PastDeps, PastUnknownError, proposedView, viewAt } from './past-view.ts'
import type { Row } from './row.ts'
import type { View } from './view.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())
const { registry, store, tables, writer } = controller.core
const deps: PastDeps = { store, tables, writer, specs: registry.specs }

/** What was answered at an index, and what there was. */
interface Moment {
  readonly index: number
  readonly access: unknown
  readonly rows: unknown
}

/** Everything about access that can be asked of a view, in a form that can be compared. */
function accessIn(view: View): unknown {
  const access = accessView(view)
  const identities = view.rows('identities').map(({ id }) => {
    const services = (type: 'Dial' | 'Bind') =>
      [...related(access, 'servicePolicies', 'identities', id, 'services', type)].sort()
    return [id, services('Dial'), services('Bind'), [...routersOfIdentity(access, id)].sort()]
  })
  const selectable = view.rows('services').filter(isSelectable)
  const services = selectable.map(({ id }) => {
    const callers = [...related(access, 'servicePolicies', 'services', id, 'identities')].sort()
    return [id, callers, [...routersOfService(access, id)].sort()]
  })
  return { identities: [...identities], services: [...services] }
}

/** The same, told without any index. */
function naiveAccessIn(view: View): unknown {
  const naive = new NaiveAccess(view)
  const ids = (rows: readonly Row[]) => rows.map(({ id }) => id).sort()
  const identities = naive.identities.map((identity) => [
    identity.id,
    ids(naive.services.filter((service) => naive.pair(identity, service).isDialAllowed)),
    ids(naive.services.filter((service) => naive.pair(identity, service).isBindAllowed)),
    ids(naive.routers.filter((router) => naive.entersBy(identity, router))),
  ])
  const services = naive.services.map((service) => [
    service.id,
    ids(naive.identities.filter((identity) => naive.pair(identity, service).policies.length > 0)),
    ids(naive.routers.filter((router) => naive.isCarriedBy(service, router))),
  ])
  return { identities, services }
}

function rowsIn(view: View): unknown {
  const shown = (table: (typeof tables.names)[number]) =>
    view.rows(table).map((row: Row) => registry.withoutSecrets(table, row))
  return tables.names.map((table) => [table, [...shown(table)], view.size(table)])
}

function now(): Moment {
  return { index: writer.index, access: accessIn(tables), rows: rowsIn(tables) }
}

function assertLike(view: View, { access, rows, index }: Moment): void {
  assert.deepEqual(accessIn(view), access, `access at ${index}`)
  assert.deepEqual(naiveAccessIn(view), access, `access at ${index}, told naively`)
  assert.deepEqual(rowsIn(view), rows, `rows at ${index}`)
}

async function history(seed: number, steps: number): Promise<{ moments: Moment[]; step: () => Promise<void> }> {
  const policies = new RandomPolicies(new Seeded(seed), `seed${seed}`)
  await controller.write((change) => policies.fill(change, { entities: 6, policies: 5 }))
  const step = () => controller.write((change) => policies.step(change))
  const moments = [now()]
  for (let at = 0; at < steps; at++) {
    await step()
    moments.push(now())
  }
  return { moments, step }
}

describe('a view of the past', () => {
  test('answers what was answered then, and goes on to while the present moves', async () => {
    const { moments, step } = await history(1, 60)
    using held = new DisposableStack()
    const views = await Promise.all(
      moments
        .filter((_, at) => at % 6 === 0)
        .map(async (moment) => ({ moment, view: await viewAt(deps, moment.index) })),
    )
    for (const { view } of views) held.use(view)
    for (const { view, moment } of views) assertLike(view, moment)
    for (let at = 0; at < 40; at++) await step()
    for (const { view, moment } of views) assertLike(view, moment)
  })

  test('is right though the present moves while the journal is read', async () => {
    const { moments, step } = await history(2, 20)
    const journal: PastDeps['store']['journal'] = async (range) => {
      const entries = await store.journal(range)
      await Promise.all(Array.from({ length: 5 }, () => step()))
      return entries
    }
    for (const moment of moments.filter((_, at) => at % 4 === 0)) {
      const { index } = writer
      using view = await viewAt({ ...deps, store: { head: store.head, journal } }, moment.index)
      assert.ok(writer.index > index)
      assertLike(view, moment)
    }
  })

  test('of the newest change is the present', async () => {
    using view = await viewAt(deps, writer.index)
    assertLike(view, now())
  })

  test('shows changed rows without their secrets, and finds nothing by them', async () => {
    const token = 'a secret token'
    const { id } = await controller.write((change) => {
      const identity = change.create('identities', { name: 'has a session' })
      return change.create('apiSessions', { token, identityId: identity.id })
    })
    const { index } = writer
    await controller.write((change) => change.update('apiSessions', id, { ipAddress: '127.0.0.1' }))
    using view = await viewAt(deps, index)
    assert.equal(view.get('apiSessions', id)?.token, undefined)
    assert.deepEqual([...view.find('apiSessions', 'token', token)], [])
  })

  test('costs what has changed since, however much there is', async () => {
    await using large = await TestController.start()
    await large.write((change) => {
      for (let at = 0; at < 3_000; at++) change.create('services', { name: `${at}`, roleAttributes: ['many'] })
    })
    const { index } = large.core.writer
    const [one] = large.core.tables.find('services', 'roleAttributes', 'many')
    for (let at = 0; at < 3; at++) {
      await large.write((change) => change.update('services', one!.id, { roleAttributes: [`moved ${at}`] }))
    }
    const { counted, counts } = countingReads({ ...large.core, specs: large.core.registry.specs })
    using view = await viewAt(counted, index)
    assert.deepEqual(view.get('services', one!.id)?.roleAttributes, ['many'])
    assert.deepEqual(counts, { entries: 3, walks: 0 })
  })

  for (const wrong of [-1, 0.5, Number.NaN, Number.MAX_SAFE_INTEGER]) {
    test(`is refused for index ${wrong}`, async () => {
      await assert.rejects(viewAt(deps, wrong), PastUnknownError)
    })
  }

  test('is refused beyond what was pruned, and right up to there', async () => {
    const { moments } = await history(3, 30)
    const half = moments[15]!
    const size = (await store.journal({ after: half.index })).length * 1_000
    await store.prune({ maxBytes: size })
    const { prunedUpTo } = store.head
    assert.ok(prunedUpTo > 0, 'nothing was pruned')
    await assert.rejects(viewAt(deps, prunedUpTo - 1), { code: 'PAST_UNKNOWN', message: /no longer known$/ })
    const known = moments.filter(({ index }) => index >= prunedUpTo)
    assert.ok(known.length > 1 && known.length < moments.length, `${known.length} moments are left`)
    for (const moment of known.slice(0, 5)) {
      using view = await viewAt(deps, moment.index)
      assertLike(view, moment)
    }
  })

  test('is right or refused when the journal is pruned while it is read', async () => {
    for (let round = 0; round < 5; round++) {
      const { moments } = await history(10 + round, 10)
      const views = moments.map((moment) => viewAt(deps, moment.index).catch((error: unknown) => error))
      await store.prune({ maxBytes: 0 })
      for (const [at, view] of (await Promise.all(views)).entries()) {
        if (view instanceof PastUnknownError) continue
        using past = view as Awaited<ReturnType<typeof viewAt>>
        assertLike(past, moments[at]!)
      }
    }
  })
})

describe('a proposal', () => {
  for (let seed = 100; seed < 110; seed++) {
    test(`shows what would be, and leaves what is (seed ${seed})`, async () => {
      const policies = new RandomPolicies(new Seeded(seed), `seed${seed}`)
      await controller.write((change) => policies.fill(change, { entities: 4, policies: 3 }))
      const present = now()
      const changes = proposed((change) => {
        for (let at = 0; at < 8; at++) policies.step(change)
      })
      const view = proposedView(tables, registry.specs, changes)
      const [access, rows] = [accessIn(view), rowsIn(view)]
      assert.deepEqual(naiveAccessIn(view), access)
      assert.deepEqual(now(), present, 'the present is untouched')
      await writer.submit({ author: { type: 'test', id: '', name: '' } }, (draft) => {
        for (const { table, id, after } of changes) draft.put(table, id, after)
      })
      assert.deepEqual(now(), { index: present.index + 1, access, rows })
    })
  }

  test('tells who gains and who loses access', async () => {
    const random = new RandomPolicies(new Seeded(1), 'nothing')
    await controller.write((change) => random.fill(change, { entities: 0, policies: 0 }))
    const { ann, bob, wiki, policy } = await controller.write((change) => ({
      ann: change.create('identities', { name: 'Ann', roleAttributes: ['old'] }).id,
      bob: change.create('identities', { name: 'Bob', roleAttributes: ['new'] }).id,
      wiki: change.create('services', { name: 'wiki' }).id,
      policy: change.create('servicePolicies', { name: 'who', type: 'Dial', semantic: 'AnyOf' }).id,
    }))
    const roles = (identityRole: string) => ({ identityRoles: [identityRole], serviceRoles: [`@${wiki}`] })
    await controller.write((change) => change.update('servicePolicies', policy, roles('#old')))
    const changes = proposed((change) => change.update('servicePolicies', policy, roles('#new')))
    const may = (view: View) => [ann, bob].map((id) => mayAccess(accessView(view), id, wiki, 'Dial'))
    assert.deepEqual(may(proposedView(tables, registry.specs, changes)), [false, true])
    assert.deepEqual(may(tables), [true, false])
  })

  test('can be laid over the past too', async () => {
    const { moments } = await history(200, 10)
    const moment = moments[3]!
    using past = await viewAt(deps, moment.index)
    const changes = proposed((change) => {
      for (const { id } of [...change.view.rows('servicePolicies')]) change.remove('servicePolicies', id)
    }, past)
    const view = proposedView(past, registry.specs, changes)
    assert.equal(view.size('servicePolicies'), 0)
    assert.deepEqual(accessIn(view), naiveAccessIn(view))
    assertLike(past, moment)
  })
})

/** What a mutation would change. */
function proposed(mutate: (change: Change) => void, view: View = tables) {
  const draft = new Overlay(view, registry.specs)
  mutate(new Change(draft, new Date().toISOString(), registry, undefined))
  return draft.changesSince(0)
}

/** Counts the journal entries that are read, and the walks over a table or an index of the present. */
function countingReads({ store: counted, tables: present, ...rest }: PastDeps) {
  const counts = { entries: 0, walks: 0 }
  const base = new Proxy(present, {
    get(target, name) {
      if (name === 'rows' || name === 'ordered' || name === 'find' || name === 'keys') counts.walks++
      const member = Reflect.get(target, name, target) as unknown
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const journal: PastDeps['store']['journal'] = async (range) => {
    const entries = await counted.journal(range)
    counts.entries += entries.length
    return entries
  }
  return { counted: { ...rest, tables: base, store: { head: counted.head, journal } }, counts }
}
