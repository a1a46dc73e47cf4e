import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ConnectedRouters } from './connected-routers.ts'
import { handClock, routerFacts, TestRouter } from './test-fabric.ts'

function start() {
  const clock = handClock()
  const routers = new ConnectedRouters({ clock }, { routerConnectChurnLimit: 60_000 })
  const seen: string[] = []
  routers.follow(({ type, routerId }) => seen.push(`${routerId} ${type}`))
  return { clock, routers, seen }
}

describe('connected routers', () => {
  test('are known from connect to disconnect', () => {
    const { routers, seen } = start()
    const connection = new TestRouter('a')
    routers.connect(connection, routerFacts)
    assert.equal(routers.isOnline('a'), true)
    assert.equal(routers.connected('a')?.hostname, 'router.example')
    assert.deepEqual(
      [...routers.all()].map(({ connection }) => connection.routerId),
      ['a'],
    )
    assert.equal(routers.disconnect(connection), true)
    assert.equal(routers.disconnect(connection), false)
    assert.equal(routers.connected('a'), undefined)
    assert.equal(routers.size, 0)
    assert.deepEqual(seen, ['a connected', 'a disconnected'])
  })

  test('a newer connection takes the place of an older one, which is torn down first', () => {
    const { routers, seen } = start()
    const [older, newer] = [new TestRouter('a'), new TestRouter('a')]
    routers.connect(older, routerFacts)
    routers.connect(newer, { ...routerFacts, hostname: 'moved.example' })
    assert.equal(older.closed.length, 1)
    assert.equal(routers.isCurrent(newer), true)
    assert.deepEqual(seen, ['a connected', 'a disconnected', 'a connected'])
  })

  test('what was replaced neither disconnects nor changes its successor', () => {
    const { routers } = start()
    const [older, newer] = [new TestRouter('a'), new TestRouter('a')]
    routers.connect(older, routerFacts)
    routers.connect(newer, routerFacts)
    assert.equal(routers.disconnect(older), false)
    assert.equal(routers.update(older, { syncStatus: 'SYNC_ERROR' }), false)
    assert.equal(routers.connected('a')?.syncStatus, 'SYNC_DONE')
    assert.throws(() => routers.connect(newer, routerFacts))
  })

  test('what a router says of itself can change', () => {
    const { routers, seen } = start()
    const connection = new TestRouter('a')
    routers.connect(connection, routerFacts)
    const linkListeners = [{ address: 'tls:a:1', protocol: 'tls', groups: ['default'], localBinding: '' }]
    assert.equal(routers.update(connection, { syncStatus: 'SYNC_IN_PROGRESS', linkListeners }), true)
    assert.equal(routers.get('a')?.syncStatus, 'SYNC_IN_PROGRESS')
    assert.deepEqual(routers.get('a')?.linkListeners, linkListeners)
    assert.equal(seen.at(-1), 'a changed')
  })

  test('a young connection counts as churning', () => {
    const { routers, clock } = start()
    assert.equal(routers.isChurning('a'), false)
    routers.connect(new TestRouter('a'), routerFacts)
    clock.time += 59_999
    assert.equal(routers.isChurning('a'), true)
    clock.time += 1
    assert.equal(routers.isChurning('a'), false)
  })
})
