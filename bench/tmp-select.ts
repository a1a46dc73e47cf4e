import { compileListQuery } from '../packages/controller/query/compile.ts'
import { select } from '../packages/controller/query/select.ts'
import { symbolsOf } from '../packages/controller/resource-kit/symbols.ts'
import { TestNetwork } from '../packages/controller/resources/test-network.ts'

const N = Number(process.argv[2] ?? 10000)
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
const symbols = symbolsOf(network.registry.resource('identities'))
const view = network.view as any
const source = {
  size: N,
  all: () => view.rows('identities'),
  lookup: (i: string, k: string) => view.find('identities', i, k),
  containing: (i: string, p: string) => view.containing('identities', i, p),
  ordered: () => view.ordered('identities', 'name'),
}
const time = (name: string, f: (n: number) => unknown) => {
  for (let k = 0; k < 2000; k++) f(k)
  const best = []
  for (let b = 0; b < 30; b++) {
    const t = process.cpuUsage()
    let n = 0
    const end = performance.now() + 40
    while (performance.now() < end) f(n++)
    const u = process.cpuUsage(t)
    best.push((u.user + u.system) / n)
  }
  best.sort((a, b) => a - b)
  console.log(name.padEnd(20), best[0]!.toFixed(2), best[15]!.toFixed(2), 'us')
}
const T = N / 100
time('compile role', (n) => compileListQuery({ filter: `anyOf(roleAttributes) = "team-${n % T}"` }, symbols))
time('compile contains', (n) => compileListQuery({ filter: `name contains "${n % 1000}"` }, symbols))
time('compile sort', (n) => compileListQuery({ sort: 'name' }, symbols))
time('compile nothing', (n) => compileListQuery({}, symbols))
const page = { offset: 0, limit: 100 }
const roles = Array.from({ length: T }, (_, n) =>
  compileListQuery({ filter: `anyOf(roleAttributes) = "team-${n % T}"` }, symbols),
)
time('select role', (n) => select(source as never, roles[n % T]!, page, {} as never))
const parts = Array.from({ length: 1000 }, (_, n) =>
  compileListQuery({ filter: `name contains "${String(n).padStart(3, '0')}"` }, symbols),
)
time('select contains 3', (n) => select(source as never, parts[n % 1000]!, page, {} as never))
const short = compileListQuery({ filter: `name contains "07"` }, symbols)
time('select contains 2', (n) => select(source as never, short, page, {} as never))
const scan = compileListQuery({ filter: `isAdmin = true` }, symbols)
time('select isAdmin', (n) => select(source as never, scan, page, {} as never))
const sorted = compileListQuery({ sort: 'name' }, symbols)
time('select sorted', (n) => select(source as never, sorted, { offset: (n * 37) % N, limit: 100 }, {} as never))
const desc = compileListQuery({ sort: 'createdAt desc' }, symbols)
time('select createdAt', (n) => select(source as never, desc, { offset: 0, limit: 100 }, {} as never))
