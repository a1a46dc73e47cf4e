import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseProtocolAddress } from '@weft/model/config-file'
import type { UpdateCtrlAddresses } from '@weft/wire/messages'
import { type KnownController, unknownAt } from '../config/endpoints-file.ts'
import { eventually } from '../testing/eventually.ts'
import { TestController } from '../testing/test-controller.ts'
import { Controllers } from './controllers.ts'

const limits = { timeout: 20_000 }
const log = { debug() {}, info() {}, warn() {}, error() {} }

function address(text: string) {
  const read = parseProtocolAddress(text, ['tls'], { lowestPort: 1, hostMayBeEmpty: false })
  if (!('host' in read)) throw new Error(text)
  return read
}

/** Controllers by the addresses they answer at. */
function setUp(answering: Readonly<Record<string, string>>, first = Object.keys(answering)) {
  const places = new Map(Object.entries(answering))
  const dialled: string[] = []
  const made: TestController[] = []
  const saved: (readonly KnownController[])[] = []
  const controllers = new Controllers(
    {
      async connect(at) {
        dialled.push(at)
        const id = places.get(at)
        if (id === undefined) throw new Error('refused')
        const controller = await TestController.connect(id)
        made.push(controller)
        return controller.connection
      },
      save: (list) => void saved.push(list),
      readAddress: (text) => (text.startsWith('tls:') ? address(text) : undefined),
      monotonic: () => performance.now(),
      log,
    },
    { first: first.map((at) => unknownAt(address(at))), configured: first.map(address) },
  )
  const ids = () =>
    controllers
      .connected()
      .map(({ controllerId }) => controllerId)
      .sort()
      .join()
  const are = (wanted: string) => eventually(() => ids() === wanted, `${wanted} are connected`)
  after(async () => {
    for (const each of made) await each[Symbol.asyncDispose]()
  })
  return { controllers, places, dialled, made, saved, are }
}

function list(
  index: number,
  isLeader: boolean,
  ...members: readonly (readonly [string, string])[]
): UpdateCtrlAddresses {
  const controllers = members.map(([id, at]) => ({ id, endpoints: [{ address: at, groups: [] }] }))
  return { addresses: [], index, isLeader, controllers }
}

test('all that are known are connected, and a lost one comes back', limits, async () => {
  const { controllers, made, are } = setUp({ 'tls:c1:1': 'c1', 'tls:c2:1': 'c2' })
  await using _ = controllers.start()
  const lost: string[] = []
  controllers.onDisconnect(({ controllerId }) => void lost.push(controllerId))
  await are('c1,c2')
  made[0]!.connection.channel.close()
  await eventually(() => lost.length === 1, 'one is lost')
  await are('c1,c2')
  assert.ok(controllers.any() !== undefined)
})

test('two addresses of one controller are one controller', limits, async () => {
  const { controllers, are } = setUp({ 'tls:c1:1': 'c1', 'tls:same:1': 'c1' })
  await using _ = controllers.start()
  await are('c1')
  await eventually(() => controllers.known().length === 1, 'one way to it is enough')
})

test('the leader says who there is; the list is kept', limits, async () => {
  const { controllers, saved, places, are } = setUp({ 'tls:c1:1': 'c1', 'tls:c2:1': 'c2' })
  await using _ = controllers.start()
  await are('c1,c2')
  places.set('tls:c3:1', 'c3')
  const from = controllers.get('c1')!
  controllers.applyAddresses(from, list(5, true, ['c1', 'tls:c1:1'], ['c3', 'tls:c3:1'], ['c4', 'no address']))
  await are('c1,c3')
  assert.deepEqual(
    saved.at(-1)?.map(({ id, endpoints }) => `${id} ${endpoints[0]?.address.text}`),
    ['c1 tls:c1:1', 'c3 tls:c3:1'],
  )
  assert.equal(controllers.leaderId, 'c1')
  controllers.applyAddresses(from, list(5, true, ['c1', 'tls:c1:1']))
  controllers.applyAddresses(from, list(4, true, ['c1', 'tls:c1:1']))
  await are('c1,c3')
  controllers.forgetIndexes()
  controllers.applyAddresses(from, list(1, true, ['c1', 'tls:c1:1']))
  await are('c1')
})

test('another than the leader may add and not leave out; an empty list is no list', limits, async () => {
  const { controllers, saved, places, made, are } = setUp({ 'tls:c1:1': 'c1', 'tls:c2:1': 'c2' })
  await using _ = controllers.start()
  await are('c1,c2')
  places.set('tls:c3:1', 'c3')
  controllers.applyAddresses(controllers.get('c1')!, list(5, false, ['c1', 'tls:c1:1'], ['c3', 'tls:c3:1']))
  await are('c1,c2,c3')
  assert.deepEqual(saved, [])
  const asked = () => made.flatMap(({ told }) => told.map(({ name }) => name))
  await eventually(() => asked().join() === 'requestClusterMembers', 'the members are asked for, once')
  controllers.applyAddresses(controllers.get('c1')!, list(6, true))
  await are('c1,c2,c3')
})

test('an address that does not answer is tried again, and a new one of a controller is used', limits, async () => {
  const { controllers, places, dialled, saved, are } = setUp({}, ['tls:c1:1'])
  await using _ = controllers.start()
  await eventually(() => dialled.length >= 3, 'it is dialled again and again')
  places.set('tls:c1:1', 'c1')
  await are('c1')
  controllers.addAddress(controllers.get('c1')!, 'tls:moved:1')
  assert.deepEqual(
    saved.at(-1)?.[0]?.endpoints.map(({ address: { text } }) => text),
    ['tls:moved:1', 'tls:c1:1'],
  )
})

test('whoever waits for a controller gets the first, or nothing in time', limits, async () => {
  const { controllers, places } = setUp({}, ['tls:c1:1'])
  await using _ = controllers.start()
  assert.equal(await controllers.whenAny(20), undefined)
  const waiting = controllers.whenAny(10_000)
  places.set('tls:c1:1', 'c1')
  assert.equal((await waiting)?.controllerId, 'c1')
})

test('a channel can be cut and let back', limits, async () => {
  const { controllers, are } = setUp({ 'tls:c1:1': 'c1' })
  await using _ = controllers.start()
  await are('c1')
  assert.equal(controllers.toggle('nobody', false), 0)
  assert.equal(controllers.toggle('c1', false), 1)
  await are('')
  controllers.toggle('', true)
  await are('c1')
})
