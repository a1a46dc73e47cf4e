/** Which channel counts when the router dials controllers and controllers dial the router. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { parseProtocolAddress } from '@weft/model/config-file'
import type { UpdateCtrlAddresses } from '@weft/wire/messages'
import { unknownAt } from '../config/endpoints-file.ts'
import { eventually } from '../testing/eventually.ts'
import { TestController } from '../testing/test-controller.ts'
import { Controllers } from './controllers.ts'

const limits = { timeout: 20_000 }
const log = { debug() {}, info() {}, warn() {}, error() {} }
const old = 10_000

function address(text: string) {
  const read = parseProtocolAddress(text, ['tls'], { lowestPort: 1, hostMayBeEmpty: false })
  if (!('host' in read)) throw new Error(text)
  return read
}

function setUp(first: readonly string[] = []) {
  const world = { now: 0 }
  const places = new Map<string, string>()
  const dialled: string[] = []
  const made: TestController[] = []
  const connect = async (id: string) => {
    const controller = await TestController.connect(id)
    made.push(controller)
    return controller.connection
  }
  const controllers = new Controllers(
    {
      async connect(at) {
        dialled.push(at)
        const id = places.get(at)
        if (id === undefined) throw new Error('refused')
        return connect(id)
      },
      save() {},
      readAddress: (text) => (text.startsWith('tls:') ? address(text) : undefined),
      monotonic: () => world.now,
      log,
    },
    { first: first.map((at) => unknownAt(address(at))), configured: first.map(address) },
  )
  const told: string[] = []
  controllers.onConnect(({ controllerId }) => void told.push(`+${controllerId}`))
  controllers.onDisconnect(({ controllerId }) => void told.push(`-${controllerId}`))
  after(async () => {
    await controllers[Symbol.asyncDispose]()
    for (const each of made) await each[Symbol.asyncDispose]()
  })
  return { controllers, world, places, dialled, connect, told }
}

function list(index: number, ...ids: readonly string[]): UpdateCtrlAddresses {
  const controllers = ids.map((id) => ({ id, endpoints: [{ address: `tls:${id}:1`, groups: [] }] }))
  return { addresses: [], index, isLeader: true, controllers }
}

test('a controller that dials is connected like any other, until its channel ends', limits, async () => {
  const { controllers, connect, told } = setUp()
  controllers.start()
  assert.equal(controllers.refusalOf('c1'), undefined)
  const incoming = await connect('c1')
  assert.equal(controllers.accept(incoming), true)
  assert.equal(controllers.any(), incoming)
  assert.equal(controllers.isDialled(incoming), false)
  assert.deepEqual(
    controllers.known().map(({ known, connection }) => [known.id, connection === incoming]),
    [['c1', true]],
  )
  incoming.channel.close()
  await eventually(() => told.join() === '+c1,-c1', 'its end is told')
  assert.deepEqual(controllers.known(), [])
})

test('a controller has one channel: a second is refused as long as the first is young', limits, async () => {
  const { controllers, world, connect, told } = setUp()
  const first = await connect('c1')
  assert.ok(controllers.accept(first))
  world.now = old - 1
  assert.match(controllers.refusalOf('c1') ?? '', /is connected/)
  const second = await connect('c1')
  assert.equal(controllers.accept(second), false)
  assert.equal(controllers.get('c1'), first)
  world.now = old
  assert.equal(controllers.refusalOf('c1'), undefined)
  assert.equal(controllers.accept(second), true)
  assert.equal(controllers.get('c1'), second)
  assert.ok(first.channel.isClosed, 'the controller has lost it, or it would not have dialled')
  assert.deepEqual(told, ['+c1', '-c1', '+c1'])
  await first.channel.closed
  assert.equal(controllers.get('c1'), second, 'the end of the older does not take the newer along')
})

test('a channel that the router has dialled takes the place of one that the controller has', limits, async () => {
  const { controllers, places, connect, told } = setUp(['tls:c1:1'])
  const incoming = await connect('c1')
  controllers.accept(incoming)
  places.set('tls:c1:1', 'c1')
  controllers.start()
  await eventually(() => controllers.get('c1') !== incoming, 'the controller has taken the newer one in')
  assert.ok(incoming.channel.isClosed)
  assert.equal(controllers.isDialled(controllers.get('c1')!), true)
  assert.deepEqual(told, ['+c1', '-c1', '+c1'])
  assert.match(controllers.refusalOf('c1') ?? '', /is connected/, 'it is young again')
})

test('a controller that has dialled is not dialled, and is when its channel has ended', limits, async () => {
  const { controllers, places, dialled, connect } = setUp(['tls:c1:1'])
  controllers.start()
  const incoming = await connect('c1')
  controllers.accept(incoming)
  // By this the router learns whom it has been dialling.
  controllers.applyAddresses(incoming, list(1, 'c1'))
  await eventually(() => controllers.known()[0]?.connection === incoming, 'it is known which one it is')
  const before = dialled.length
  // The waits between dials are shorter by far.
  await new Promise((resolve) => setTimeout(resolve, 700))
  assert.equal(dialled.length, before, 'nobody is dialled meanwhile')
  places.set('tls:c1:1', 'c1')
  incoming.channel.close()
  await eventually(() => controllers.any() !== undefined, 'it is dialled')
  assert.ok(dialled.length > before)
})

test('one that the others have left out is sent away, and refused unless nobody else is there', limits, async () => {
  const { controllers, connect, told } = setUp()
  controllers.start()
  const [one, other] = [await connect('c1'), await connect('c2')]
  controllers.accept(one)
  controllers.accept(other)
  controllers.applyAddresses(one, list(5, 'c1'))
  await eventually(() => told.includes('-c2'), 'it is sent away')
  assert.match(controllers.refusalOf('c2') ?? '', /not in the list/)
  assert.equal(controllers.accept(await connect('c2')), false)
  one.channel.close()
  await eventually(() => told.includes('-c1'), 'nobody is left')
  assert.equal(controllers.refusalOf('c2'), undefined)
})

test('what is cut on purpose stays away until it is let back', limits, async () => {
  const { controllers, connect, told } = setUp()
  controllers.start()
  const incoming = await connect('c1')
  controllers.accept(incoming)
  assert.equal(controllers.toggle('c2', false), 0)
  assert.equal(controllers.toggle('c1', false), 1)
  await eventually(() => told.join() === '+c1,-c1', 'it is cut')
  assert.match(controllers.refusalOf('c1') ?? '', /cut off/)
  assert.equal(controllers.refusalOf('c2'), undefined)
  assert.equal(controllers.toggle('c1', true), 1)
  assert.equal(controllers.refusalOf('c1'), undefined)
  controllers.toggle('', false)
  assert.match(controllers.refusalOf('c2') ?? '', /cut off/)
  controllers.toggle('', true)
  assert.equal(controllers.refusalOf('c2'), undefined)
})

test('at the end channels of either kind are closed, and nobody comes in', limits, async () => {
  const { controllers, connect } = setUp()
  controllers.start()
  const incoming = await connect('c1')
  controllers.accept(incoming)
  await controllers[Symbol.asyncDispose]()
  assert.ok(incoming.channel.isClosed)
  assert.match(controllers.refusalOf('c1') ?? '', /ending/)
})
