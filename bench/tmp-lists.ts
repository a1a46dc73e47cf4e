import { systemClock } from '../packages/controller/clock.ts'
import { Kit } from '../packages/controller/resource-kit/kit.ts'
import { resourceOperations } from '../packages/controller/resource-kit/operations.ts'
import { TestNetwork } from '../packages/controller/resources/test-network.ts'

const N = Number(process.argv[2] ?? 10000)
const only = process.argv[3]
const network = new TestNetwork()
const t0 = performance.now()
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
    for (let i = at / 10; i < (at + 1000) / 10; i++)
      change.create('services', {
        name: `services-${String(i).padStart(6, '0')}`,
        encryptionRequired: true,
        roleAttributes: [`family-${Math.floor(i / 100)}`],
      } as never)
  })
console.log('seed us/row', (((performance.now() - t0) * 1000) / N / 1.1).toFixed(1))
const kit = new Kit({
  registry: network.registry,
  tables: network.view,
  writer: undefined as never,
  clock: systemClock,
})
const ops = new Map(resourceOperations(kit).map((o) => [o.operationId, o]))
const caller = network.caller('x', { isAdmin: true } as never)
const ids = [...network.view.rows('identities' as never)].map((r: any) => r.id)
const call = (query: string, id = '') =>
  ({
    caller,
    query: new URLSearchParams(query),
    params: { id },
    header: () => undefined,
    headerLines: () => [],
    path: '',
    method: 'GET',
  }) as never
let n = 0
const work: Record<string, () => unknown> = {
  'get identity': () => ops.get('detailIdentity')!.handle(call('', ids[n++ % ids.length])),
  'list by role': () =>
    ops.get('listIdentities')!.handle(call(`limit=100&filter=anyOf(roleAttributes) = "team-${n++ % (N / 100)}"`)),
  'list contains': () =>
    ops.get('listIdentities')!.handle(
      call(
        `limit=100&filter=name contains "${String(n++ % N)
          .padStart(6, '0')
          .slice(1, 4)}"`,
      ),
    ),
  'list sorted': () => ops.get('listIdentities')!.handle(call(`limit=100&sort=name&offset=${(n++ * 37) % N}`)),
  'list sorted first': () => ops.get('listIdentities')!.handle(call(`limit=100&sort=name`)),
  'services by role': () =>
    ops.get('listServices')!.handle(call(`limit=100&filter=anyOf(roleAttributes) = "family-${n++ % (N / 1000)}"`)),
  'services contains': () =>
    ops.get('listServices')!.handle(
      call(
        `limit=100&filter=name contains "${String((n++ % N) / 10)
          .padStart(6, '0')
          .slice(1, 4)}"`,
      ),
    ),
  'services sorted': () => ops.get('listServices')!.handle(call(`limit=100&sort=name&offset=${(n++ * 37) % (N / 10)}`)),
}
for (const [name, run] of Object.entries(work)) {
  if (only && !name.includes(only)) continue
  const go = (ms: number) => {
    const end = performance.now() + ms
    let count = 0,
      a = 0,
      b = 0
    const c = process.cpuUsage()
    while (performance.now() < end) {
      const x = performance.now()
      const answer: any = run()
      const y = performance.now()
      const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body)
      b += performance.now() - y
      a += y - x
      count++
      if (text.length < 10) throw 1
    }
    const u = process.cpuUsage(c)
    return [(u.user + u.system) / count, (a * 1000) / count, (b * 1000) / count]
  }
  go(only ? 1000 : 300)
  const [cpu, a, b] = go(only ? 3000 : 700)
  console.log(name.padEnd(20), `cpu ${cpu!.toFixed(0)} us, handle ${a!.toFixed(0)}, stringify ${b!.toFixed(0)}`)
}
