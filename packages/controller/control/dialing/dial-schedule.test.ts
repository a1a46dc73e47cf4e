import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DialSchedule, type DialScheduleOptions } from './dial-schedule.ts'

const usual = {
  minRetryInterval: 1_000,
  maxRetryInterval: 10_000,
  retryBackoffFactor: 2,
  fastFailureWindow: 5_000,
  maxWorkers: 10,
  queueSize: 32,
}

function setUp(options: Partial<DialScheduleOptions> = {}, random = () => 0.5) {
  const world = { now: 0, addresses: new Map<string, readonly string[]>() }
  const schedule = new DialSchedule(
    {
      addressesOf: (id) => world.addresses.get(id) ?? [],
      monotonic: () => world.now,
      random,
    },
    { ...usual, ...options },
  )
  /** The router connects, or is disabled: nobody is to dial it. */
  const settle = (id: string) => world.addresses.delete(id)
  const want = (id: string, ...addresses: string[]) => world.addresses.set(id, addresses)
  const due = () => schedule.takeDue().map(({ routerId, address }) => `${routerId} ${address}`)
  return { world, schedule, settle, want, due }
}

test('a scan dials every router that is wanted, one after the other, and no other', () => {
  const { world, schedule, want, due } = setUp()
  want('a', 'tls:a:1')
  want('b', 'tls:b:1')
  schedule.scan(['a', 'connected', 'b'])
  assert.deepEqual(due(), ['a tls:a:1'])
  assert.equal(schedule.nextAt, 50)
  world.now = 50
  assert.deepEqual(due(), ['b tls:b:1'])
  schedule.scan(['a', 'b'])
  assert.deepEqual(due(), [], 'both are being dialled')
})

test('waits grow from the shortest to the longest, and addresses take turns', () => {
  const { world, schedule, want, due } = setUp()
  want('a', 'tls:a:1', 'tls:a:2')
  schedule.changed('a')
  const seen: [string | undefined, number][] = []
  for (let round = 0; round < 6; round++) {
    const [dialled] = due()
    schedule.failed('a')
    const { nextAt } = schedule.states().get('a')!
    seen.push([dialled, nextAt - world.now])
    assert.deepEqual(due(), [], 'not before its time')
    world.now = nextAt
  }
  assert.deepEqual(seen, [
    ['a tls:a:1', 1_000],
    ['a tls:a:2', 2_000],
    ['a tls:a:1', 4_000],
    ['a tls:a:2', 8_000],
    ['a tls:a:1', 10_000],
    ['a tls:a:2', 10_000],
  ])
  assert.equal(schedule.states().get('a')!.attempts, 6)
})

test('chance changes how fast waits grow, never below what they were; no file makes them shorter than a tenth of a second', () => {
  for (const chance of [0, 0.999_999]) {
    const { world, schedule, want, due } = setUp({ minRetryInterval: 0, retryBackoffFactor: 1 }, () => chance)
    want('a', 'tls:a:1')
    schedule.changed('a')
    let last = 0
    for (let round = 0; round < 20; round++) {
      assert.equal(due().length, 1)
      schedule.failed('a')
      const wait = schedule.states().get('a')!.nextAt - world.now
      assert.ok(wait >= 100 && wait >= last && wait <= usual.maxRetryInterval, `${wait}`)
      last = wait
      world.now += wait
    }
  }
})

test('a connection that lasts is forgotten, and when it is lost the router is dialled after the shortest wait', () => {
  const { world, schedule, settle, want, due } = setUp()
  want('a', 'tls:a:1', 'tls:a:2')
  schedule.changed('a')
  due()
  schedule.failed('a')
  world.now = schedule.nextAt!
  assert.deepEqual(due(), ['a tls:a:2'])
  settle('a')
  schedule.connected('a')
  schedule.succeeded('a')
  assert.equal(schedule.states().get('a')!.status, 'Connected')
  world.now = schedule.nextAt!
  assert.deepEqual(due(), [])
  assert.equal(schedule.states().size, 0)
  want('a', 'tls:a:1', 'tls:a:2')
  schedule.lost('a')
  assert.equal(schedule.nextAt, world.now + 1_000)
  world.now += 1_000
  assert.deepEqual(due(), ['a tls:a:1'])
})

test('a connection that is lost within the window counts as a failed dial', () => {
  const { world, schedule, settle, want, due } = setUp()
  want('a', 'tls:a:1')
  schedule.changed('a')
  const waits: number[] = []
  for (let round = 0; round < 3; round++) {
    due()
    settle('a')
    schedule.succeeded('a')
    world.now += usual.fastFailureWindow - 1
    want('a', 'tls:a:1')
    schedule.lost('a')
    waits.push(schedule.nextAt! - world.now)
    world.now = schedule.nextAt!
  }
  assert.deepEqual(waits, [1_000, 2_000, 4_000])
})

test('a channel that has ended before its dial is known to have succeeded counts as a failed dial', () => {
  const { world, schedule, want, due } = setUp()
  want('a', 'tls:a:1')
  schedule.changed('a')
  due()
  schedule.lost('a')
  assert.deepEqual(due(), [], 'the dial is still under way')
  schedule.succeeded('a')
  assert.equal(schedule.states().get('a')!.status, 'NeedsDial')
  assert.equal(schedule.nextAt, world.now + 1_000)
})

test('a router that comes by itself, is disabled or deleted is not dialled', () => {
  const { world, schedule, settle, want, due } = setUp()
  for (const id of ['comes', 'disabled', 'deleted', 'unnoticed']) {
    want(id, `tls:${id}:1`)
    schedule.lost(id)
    settle(id)
  }
  schedule.connected('comes')
  schedule.changed('disabled')
  schedule.forget('deleted')
  assert.deepEqual([...schedule.states().keys()], ['unnoticed'])
  world.now = 1_000
  assert.deepEqual(due(), [])
  assert.equal(schedule.states().size, 0)
})

test('what happens while a dial is under way is looked at when it ends', () => {
  const { world, schedule, settle, want, due } = setUp()
  want('deleted', 'tls:d:1')
  want('moved', 'tls:old:1')
  schedule.changed('deleted')
  schedule.changed('moved')
  assert.equal(due().length, 2)
  settle('deleted')
  schedule.forget('deleted')
  want('moved', 'tls:new:1')
  schedule.changed('moved')
  assert.deepEqual(due(), [], 'no router is dialled twice at a time')
  schedule.failed('deleted')
  schedule.failed('moved')
  assert.deepEqual([...schedule.states().keys()], ['moved'])
  world.now = schedule.nextAt!
  assert.deepEqual(due(), ['moved tls:new:1'])
})

test('so many dials are under way and so many wait for them; the others are put off', () => {
  const { world, schedule, want, due } = setUp({ maxWorkers: 2, queueSize: 3 })
  const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
  for (const id of ids) {
    want(id, `tls:${id}:1`)
    schedule.changed(id)
  }
  assert.deepEqual(due(), ['a tls:a:1', 'b tls:b:1'])
  assert.equal(schedule.dialling, 2)
  const waits = () => [...schedule.states().values()].filter(({ status }) => status === 'NeedsDial')
  assert.deepEqual(
    waits().map(({ routerId, nextAt }) => `${routerId} ${nextAt}`),
    ['c 0', 'd 0', 'e 0', 'f 1000', 'g 1000'],
  )
  assert.equal(schedule.nextAt, 1_000, 'those that wait for a dial to end need no timer')
  schedule.failed('a')
  assert.equal(schedule.nextAt, 0)
  assert.deepEqual(due(), ['c tls:c:1'])
  assert.equal(schedule.dialling, 2)
  world.now = 999
  schedule.failed('b')
  schedule.failed('c')
  assert.deepEqual(due(), ['d tls:d:1', 'e tls:e:1'])
})

test('an end of a dial that nobody began is a mistake of the caller', () => {
  const { schedule } = setUp()
  assert.throws(() => schedule.failed('a'), /under way/)
})

test('whatever happens in whatever order, bounds hold, and every router that is wanted is dialled in the end', () => {
  let seed = 20_261_115
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return seed / 2 ** 31
  }
  const ids = Array.from({ length: 30 }, (_, at) => `r${at}`)
  const { world, schedule, settle, want } = setUp({ maxWorkers: 4, queueSize: 5 }, random)
  const dialling = new Set<string>()
  const take = () => {
    for (const { routerId, address } of schedule.takeDue()) {
      assert.ok(!dialling.has(routerId), 'nobody is dialled twice at a time')
      assert.ok(world.addresses.get(routerId)?.includes(address), 'nobody is dialled who is not to be')
      dialling.add(routerId)
    }
    assert.ok(dialling.size <= 4)
    assert.equal(schedule.dialling, dialling.size)
    for (const { retryDelay } of schedule.states().values()) assert.ok(retryDelay <= usual.maxRetryInterval)
  }
  const end = (routerId: string, isReached: boolean) => {
    dialling.delete(routerId)
    if (!isReached) return schedule.failed(routerId)
    settle(routerId)
    schedule.connected(routerId)
    schedule.succeeded(routerId)
  }
  const happenings: ((id: string) => void)[] = [
    (id) => {
      settle(id)
      schedule.connected(id)
    },
    (id) => {
      want(id, 'tls:a:1', 'tls:b:1')
      schedule.lost(id)
    },
    (id) => {
      want(id, 'tls:c:1')
      schedule.changed(id)
    },
    (id) => {
      settle(id)
      schedule.changed(id)
    },
    (id) => {
      settle(id)
      schedule.forget(id)
    },
    (id) => dialling.has(id) && end(id, random() < 0.5),
  ]
  for (let step = 0; step < 20_000; step++) {
    world.now += Math.floor(random() * 400)
    happenings[Math.floor(random() * happenings.length)]!(ids[Math.floor(random() * ids.length)]!)
    take()
  }
  for (const id of ids) {
    if (!dialling.has(id) && world.addresses.has(id)) schedule.changed(id)
  }
  for (let step = 0; step < 1_000 && (dialling.size > 0 || schedule.nextAt !== undefined); step++) {
    for (const id of [...dialling]) end(id, true)
    world.now = Math.max(world.now, schedule.nextAt ?? 0)
    take()
  }
  assert.deepEqual([...world.addresses.keys()], [], 'nobody is left who is to be dialled')
  assert.equal(schedule.states().size, 0)
})
