import { measureCeiling } from './load/ceiling.ts'
for (const n of [1500,1500,150000]) {
const a = process.cpuUsage()
const t = performance.now()
const [r] = await measureCeiling([n], {connections:16, milliseconds: 2000})
const b = process.cpuUsage(a)
console.log(r, 'gen cpu us/request', (b.user+b.system)/(r.perSecond*2), b)
}
