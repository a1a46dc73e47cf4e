/**
 * The process that kill.test.ts and disk-failure.test.ts let die. It appends until it cannot, and prints a line of JSON
 * for each thing it was told. Each transaction writes its index to three rows, and each batch its end to a fourth, so
 * that half a transaction or half a batch would show.
 *
 *   node appending-process.ts FILE PADDING      (PADDING: characters to add to each row)
 */
import { put, transaction } from '../sample-history.ts'
import { StoreError } from '../store.ts'
import { SqliteStore } from './sqlite-store.ts'

const [file = '', padding = '0'] = process.argv.slice(2)
const filler = 'x'.repeat(Number(padding))
const say = (fact: object) => process.stdout.write(`${JSON.stringify(fact)}\n`)

try {
  const store = await SqliteStore.open({ file, clock: Date })
  say({ opened: store.head.index })
  for (let failures = 0; failures < 2; ) {
    const from = store.head.index + 1
    const upTo = from + Math.floor(Math.random() * 5)
    try {
      await store.append(batch(from, upTo))
      say({ acknowledged: upTo })
    } catch (error) {
      failures += 1
      report(error)
    }
  }
  await store.journal({ after: 0 }).catch(report)
  await store[Symbol.asyncDispose]()
  say({ closed: true })
} catch (error) {
  report(error)
}

function batch(from: number, upTo: number) {
  return Array.from({ length: upTo - from + 1 }, (_, at) => {
    const rows = ['a', 'b', 'c'].map((id) => put('counters', id, `${from + at}`))
    return transaction(from + at, ...rows, put('batches', 'end', `${upTo}`), put('filler', `${from + at}`, filler))
  })
}

function report(error: unknown): void {
  if (!(error instanceof StoreError)) throw error
  say({ code: error.code, message: error.message })
}
