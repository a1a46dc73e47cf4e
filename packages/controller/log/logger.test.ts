import assert from 'node:assert/strict'
import { PassThrough, Writable } from 'node:stream'
import { test } from 'node:test'
import type { Clock } from '../clock.ts'
import { createLogger } from './logger.ts'

const clock: Clock = { now: () => Date.UTC(2026, 7, 1), monotonic: () => 0 }

function collect() {
  const chunks: string[] = []
  const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk) => chunks.push(chunk))
  const text = () => chunks.join('')
  const records = () =>
    text()
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  return { stream, text, records }
}

test('writes JSON with UTC time, level, bindings and fields', async () => {
  const out = collect()
  await using logger = createLogger({ stream: out.stream, clock }, { level: 'info', format: 'json' })
  logger.child({ component: 'api', requestId: 'r1' }).info('100%s done', { status: 200 })
  assert.equal(
    out.text(),
    '{"level":"info","time":"2026-08-01T00:00:00.000Z","component":"api","requestId":"r1","status":200,"msg":"100%s done"}\n',
  )
})

test('writes the text form', async () => {
  const out = collect()
  await using logger = createLogger({ stream: out.stream, clock }, { level: 'info', format: 'text' })
  logger.child({ component: 'api' }).warn('slow', { milliseconds: 12 })
  assert.equal(out.text(), '2026-08-01T00:00:00.000Z WARN  api: slow milliseconds=12\n')
})

test('an error keeps its name', async () => {
  const out = collect()
  await using logger = createLogger({ stream: out.stream }, { level: 'info', format: 'json' })
  logger.error('failed', { err: new RangeError('too far') })
  assert.partialDeepStrictEqual(out.records()[0].err, { type: 'RangeError', message: 'too far' })
})

test('a change of level reaches children that exist', async () => {
  const out = collect()
  await using logger = createLogger({ stream: out.stream }, { level: 'warn', format: 'json' })
  const child = logger.child({ component: 'x' })
  child.debug('hidden')
  assert.equal(child.isEnabled('debug'), false)
  logger.setLevel('debug')
  child.debug('shown')
  child.trace('hidden')
  assert.equal(logger.level, 'debug')
  assert.deepEqual(
    out.records().map((record) => record.msg),
    ['shown'],
  )
})

test('secrets in fields, bindings and messages are not written', async () => {
  const out = collect()
  await using logger = createLogger({ stream: out.stream }, { level: 'info', format: 'json' })
  logger
    .child({ 'zt-session': 'hidden-1' })
    .info('Bearer hidden-22222', { password: 'hidden-3', a: { jwt: 'hidden-4' } })
  const text = out.text()
  assert.doesNotMatch(text, /hidden-/)
  assert.equal(text.match(/\[redacted\]/g)?.length, 4)
})

test('a field cannot take the place of level, time or message', async () => {
  const out = collect()
  await using logger = createLogger({ stream: out.stream, clock }, { level: 'info', format: 'json' })
  logger.info('true', { level: 'error', time: 'never', msg: 'false' })
  const [record] = out.records()
  assert.deepEqual([record.level, record.time, record.msg], ['info', '2026-08-01T00:00:00.000Z', 'true'])
  assert.equal(record.level_, 'error')
})

test('a stuck output costs a bound of memory, drops are counted, and no call waits', async () => {
  const stuck = new Writable({ write() {} })
  const logger = createLogger({ stream: stuck }, { level: 'info', format: 'json', maxWaitingBytes: 64 * 1024 })
  const start = performance.now()
  for (let i = 0; i < 10_000; i++) logger.info('line', { i })
  assert.ok(performance.now() - start < 2_000)
  assert.ok(logger.dropped > 5_000)
  assert.ok(logger.waiting <= 64 * 1024)
  assert.equal(await logger.flush(20), false)
  stuck.destroy()
  await logger[Symbol.asyncDispose]()
})

test('flush waits for what a slow output still holds', async () => {
  let written = ''
  const slow = new Writable({
    write(chunk, _encoding, done) {
      written += chunk
      setTimeout(done, 5)
    },
  })
  await using logger = createLogger({ stream: slow }, { level: 'info', format: 'json' })
  for (let i = 0; i < 10; i++) logger.info(`line ${i}`)
  assert.equal(await logger.flush(2_000), true)
  assert.match(written, /line 9/)
})

test('an output that fails is survived and counted', async () => {
  const broken = new Writable({ write: (_chunk, _encoding, done) => done(new Error('EPIPE')) })
  await using logger = createLogger({ stream: broken }, { level: 'info', format: 'json' })
  logger.info('one')
  await new Promise((resolve) => setImmediate(resolve))
  logger.info('two')
  assert.equal(logger.dropped, 2)
})
