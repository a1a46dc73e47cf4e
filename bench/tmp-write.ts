// CPU of the writer path without HTTP: creates, patches, deletes of identities through kit.write in batches of 16
import { mkdtemp, rm } from 'node:fs/promises'
import { systemClock } from '../packages/controller/clock.ts'
import { Change } from '../packages/controller/resource-kit/change.ts'
import { TestNetwork } from '../packages/controller/resources/test-network.ts'
import { Writer } from '../packages/controller/state/writer.ts'
import { SqliteStore } from '../packages/controller/store/sqlite/sqlite-store.ts'

const N = Number(process.argv[2] ?? 1000)
const network = new TestNetwork()
for (let at = 0; at < N; at += 1000)
  network.change((change) => {
    for (let i = at; i < at + 1000; i++)
      change.create(
        'identities',
        {
          name: `identities-${String(i).padStart(6, '0')}`,
          type: 'Default',
          isAdmin: false,
          roleAttributes: [`team-${Math.floor(i / 100)}`, `site-${i % 10}`],
        } as never,
        { idKind: 'short' } as never,
      )
  })
const dir = await mkdtemp('/tmp/tmp-write-')
const store = await SqliteStore.open({ file: dir + '/x.db', clock: systemClock })
const nostore = { head: { index: 0 }, append: async () => {} } as never
for (const [name, s] of [
  ['no store', nostore],
  ['sqlite', store],
] as const) {
  const writer = new Writer({
    store: s as never,
    tables: network.view,
    specs: network.registry.specs,
    clock: systemClock,
    journaled: network.registry.withoutSecrets.bind(network.registry),
    onFailure: console.error,
  } as never)
  const cause = { author: { type: 'identity', id: 'x', name: 'y' } }
  let n = 0
  const round = async () => {
    const t0 = process.threadCpuUsage(),
      p0 = process.cpuUsage()
    const ids: string[] = []
    for (let b = 0; b < 40; b++) {
      await Promise.all(
        Array.from({ length: 16 }, () =>
          writer.submit(cause, (draft, time) => {
            const row = new Change(draft, time, network.registry, undefined).create(
              'identities',
              {
                name: `new-${name}-${n++}`,
                type: 'Default',
                isAdmin: false,
                roleAttributes: ['newcomers', 'newcomers-1'],
              } as never,
              { idKind: 'short' } as never,
            )
            ids.push((row as any).id)
            return row
          }),
        ),
      )
    }
    const t1 = process.threadCpuUsage(t0),
      p1 = process.cpuUsage(p0)
    const t2 = process.threadCpuUsage()
    for (let b = 0; b < 40; b++)
      await Promise.all(
        ids
          .slice(b * 16, b * 16 + 16)
          .map((id) =>
            writer.submit(cause, (draft, time) =>
              new Change(draft, time, network.registry, undefined).update('identities', id, {
                tags: { a: 1 },
              } as never),
            ),
          ),
      )
    const t3 = process.threadCpuUsage(t2)
    const t4 = process.threadCpuUsage()
    for (let b = 0; b < 40; b++)
      await Promise.all(
        ids
          .slice(b * 16, b * 16 + 16)
          .map((id) =>
            writer.submit(cause, (draft, time) =>
              new Change(draft, time, network.registry, undefined).remove('identities', id),
            ),
          ),
      )
    const t5 = process.threadCpuUsage(t4)
    return [t1, t3, t5, p1].map((u) => (u.user + u.system) / 640)
  }
  for (let i = 0; i < 10; i++) await round()
  const rounds = []
  for (let i = 0; i < 30; i++) rounds.push(await round())
  console.log(
    name,
    ['create', 'update', 'delete', 'create, all threads']
      .map((w, i) => `${w} ${Math.min(...rounds.map((r) => r[i]!)).toFixed(1)}`)
      .join(', '),
    'us',
  )
}
await store[Symbol.asyncDispose]()
await rm(dir, { recursive: true })
