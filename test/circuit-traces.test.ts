/** Traces of single circuits: what controller and routers say of them, and what routers report of their links. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { managementMessages } from '@weft/wire/messages'
import { ApiClient, type Json } from './kit/api-client.ts'
import { TestStream } from './kit/management-stream.ts'
import { until } from './kit/patience.ts'
import { sharedStart } from './kit/running.ts'
import { type ConnectedTestRouter, TestRouter } from './kit/test-router.ts'

const running = sharedStart()
const limits = { timeout: 60_000 }

async function dial(router: ConnectedTestRouter, service: string): Promise<string> {
  const answer = await router.request('circuitRequest', { body: { service } })
  assert.equal(answer.name, 'circuitSuccess')
  return (answer.message as { readonly body: string }).body
}

test('circuits of a service are traced from their making to their end', limits, async () => {
  const { controller, admin } = running()
  const [near, far] = await Promise.all([
    TestRouter.enroll(admin, 'traced-near'),
    TestRouter.enroll(admin, 'traced-far'),
  ])
  await using from = await near.connect()
  await using to = await far.connect()
  using api = new ApiClient(controller, { base: '/fabric/v1', token: admin.token! })
  await from.reportLink('traced-link', far.id)
  await until('they are linked', async () => (await api.list('/links')).length === 1)
  for (const name of ['traced', 'other']) {
    const serviceId = await api.create('services', { name, terminatorStrategy: 'smartrouting' })
    await to.request('fabricCreateTerminator', {
      body: { serviceId, binding: 'transport', address: 'tcp:127.0.0.1:9' },
    })
  }
  const before = await dial(from, 'traced')

  await using stream = await TestStream.open(controller, admin.token)
  const traces = stream.collect('trace')
  await stream.channel.send(managementMessages.encode('streamTraces', { body: {} }))
  const toggle = async (enable: boolean, serviceRegex: string) => {
    const body = { enable, serviceRegex, clientRegex: '.*' }
    return (await stream.request('toggleCircuitTraces', { body })).message
  }
  assert.equal((await toggle(true, '(')).success, false)
  assert.equal((await toggle(true, '^traced$')).body, `Circuit ${before}: traced\n`)
  await until('both ends trace the link', () => from.toggled.length === 1 && to.toggled.length === 1)
  assert.deepEqual([from.toggled[0]!.enable, from.toggled[0]!.pipeRegex], [true, '/traced\\-link$'])

  const circuitId = await dial(from, 'traced')
  const other = await dial(from, 'other')
  const shown = () =>
    traces.map(({ body: { decode, isRx, channel } }): Json => ({ ...JSON.parse(String(decode)), isRx, channel }))
  const told = (message: string, isRx: boolean) =>
    shown().filter((trace) => trace['__message__'] === message && trace['isRx'] === isRx)
  await until('its making is told', () => told('circuitSuccess', false).length === 1)
  assert.deepEqual(
    told('route', false)
      .map(({ channel }) => channel)
      .sort(),
    [`ctrl ${near.id}`, `ctrl ${far.id}`].sort(),
  )
  assert.equal(told('routeResult', true).length, 2)
  assert.deepEqual(new Set(shown().map((trace) => trace['circuitId'])), new Set([circuitId]))

  const record = (id: string, sequence: number, channel = 'l/traced-link') => {
    const decode = Buffer.from(JSON.stringify({ __decoder__: 'data', __message__: 'Payload', circuitId: id }))
    return from.send('traceEvent', { body: { channel, contentType: 2_100, sequence, decode } })
  }
  await record(other, 1)
  await record(circuitId, 2)
  const ofLinks = () => traces.filter(({ body }) => body.identity === near.id).map(({ body }) => body.sequence)
  await until('what the link carries is told', () => ofLinks().length > 0)
  assert.deepEqual(ofLinks(), [2], 'and nothing of others')

  // Who asks for the channel as well sees all of it, until it leaves; then the circuit’s routers are asked again.
  const pipes = async (enable: boolean) => {
    const body = { enable, verbosity: 'ReportNone', appRegex: near.id, pipeRegex: 'traced-link' } as const
    assert.equal((await stream.request('togglePipeTraces', { body })).message.success, true)
  }
  await pipes(true)
  await record(other, 3)
  await until('everything is told', () => ofLinks().includes(3))
  await pipes(false)
  await until('the link is asked for again', () => from.toggled.at(-1)!.pipeRegex === '/traced\\-link$')
  await record(other, 4)
  await record(circuitId, 5)
  await until('the circuit is told', () => ofLinks().includes(5))
  assert.ok(!ofLinks().includes(4))

  for (const id of [circuitId, before]) assert.equal((await api.delete(`/circuits/${id}`, {})).status, 200)
  await until('its end is told', () => told('unroute', false).length === 4)
  await until('the link is left', () => to.toggled.at(-1)!.enable === false)
  assert.equal((await toggle(false, '^traced$')).success, true)
  const count = traces.length
  await dial(from, 'traced')
  await from.request('inspectRequest', { body: { requestedValues: [] } })
  assert.equal(traces.length, count, 'nothing is traced any more')
})
