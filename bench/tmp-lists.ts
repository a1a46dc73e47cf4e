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
  const batch = (ms: number) => {
    const c = process.cpuUsage()
    const end = performance.now() + ms
    let count = 0
    let length = 0
    while (performance.now() < end) {
      const answer = run() as { body: { text: string } }
      length += Buffer.byteLength(answer.body.text ?? JSON.stringify(answer.body))
      count++
    }
    const u = process.cpuUsage(c)
    return [(u.user + u.system) / count, length / count] as const
  }
  batch(400)
  const all = Array.from({ length: only ? 60 : 16 }, () => batch(50)).sort((a, b) => a[0] - b[0])
  console.log(
    name.padEnd(20),
    `cpu us: least ${all[0]![0].toFixed(1)}, median ${all[all.length >> 1]![0].toFixed(1)}, ${all[0]![1].toFixed(0)} bytes`,
  )
}
