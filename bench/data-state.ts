/**
 * How long a router data model takes from bytes to objects and back, against JSON of the same content in the same run.
 *
 *   node bench/data-state.ts [--events 10000] [--rounds 40] [--smoke]
 */
import { parseArgs } from 'node:util'
import { type dataEvent, dataState, type InitOf } from '@weft/wire/messages'
import { toJson } from '../packages/wire/testing/proto-json.ts'
import { median } from './load/quantile.ts'
import { aligned } from './report.ts'

type Event = InitOf<typeof dataEvent>

const { values: flags } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '40' },
    smoke: { type: 'boolean', default: false },
  },
})
const count = flags.smoke ? 100 : Number(flags.events)
const rounds = flags.smoke ? 2 : Number(flags.rounds)

const state = dataState.decode(dataState.encode({ events: Array.from({ length: count }, event), endIndex: count }))
const bytes = dataState.encode(state)
const plain = toJson(dataState, state)
const text = Buffer.from(JSON.stringify(plain))

const measured = measure({
  decode: () => dataState.decode(bytes),
  'JSON.parse': () => JSON.parse(text.toString()),
  encode: () => dataState.encode(state),
  'JSON.stringify': () => Buffer.from(JSON.stringify(plain)),
})
const row = (name: string, baseline: string) => {
  const [ours, theirs] = [measured.get(name)!, measured.get(baseline)!]
  return [name, ours.toFixed(2), baseline, theirs.toFixed(2), `${(ours / theirs).toFixed(2)}x`]
}
console.log(`${count} events, ${bytes.length} bytes, ${text.length} as JSON; Node ${process.version}, ${process.arch}`)
console.log(
  aligned([['', 'ms', 'against', 'ms', 'ratio'], row('decode', 'JSON.parse'), row('encode', 'JSON.stringify')]),
)

/** Medians in milliseconds; the tasks take turns, so that what disturbs one disturbs all. */
function measure(tasks: Readonly<Record<string, () => unknown>>): Map<string, number> {
  const times = new Map(Object.keys(tasks).map((name) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, task] of Object.entries(tasks)) {
      const started = performance.now()
      task()
      times.get(name)!.push(performance.now() - started)
    }
  }
  return new Map([...times].map(([name, each]) => [name, median(each)]))
}

/** Half identities, the rest services, policies and their members, as in a network of some size. */
function event(_: unknown, place: number): Event {
  const id = `3kTq1WpZbY4xT0vX${String(place).padStart(6, '0')}`
  const members = Array.from({ length: 8 }, (_each, member) => `3kTq1WpZbY4xT0vX${String(member).padStart(6, '0')}`)
  const models: readonly Event['model'][] = [
    { kind: 'identity', value: { id, name: `identity ${place}` } },
    {
      kind: 'service',
      value: { id, name: `service ${place}`, encryptionRequired: true, configs: members.slice(0, 2) },
    },
    { kind: 'identity', value: { id, name: `identity ${place}`, defaultHostingCost: place } },
    {
      kind: 'servicePolicyChange',
      value: { policyId: id, relatedEntityIds: members, relatedEntityType: 'RelatedIdentity', add: true },
    },
  ]
  return { action: 'Create', model: models[place % models.length] }
}
