import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { linkDialPolicy } from '@weft/wire'
import { TestController } from '../testing/test-controller.ts'
import { enrollRouter, TestRouter } from '../testing/test-router.ts'

const controller = await TestController.start()
after(() => controller[Symbol.asyncDispose]())

/** What a router was told of a peer, in order. */
function statesOf(router: TestRouter, peerId: string): readonly (string | number)[] {
  const changes = router.all('peerStateChanges').flatMap(({ body }) => body.changes)
  return changes.filter(({ id }) => id === peerId).map(({ state }) => state)
}

test('all routers that come at once are told of each other', async () => {
  const enrolled = []
  for (let left = 12; left > 0; left--) enrolled.push(await enrollRouter(controller))
  await using stack = new AsyncDisposableStack()
  const routers = await Promise.all(enrolled.map((each) => TestRouter.connect(controller, each)))
  for (const router of routers) stack.use(router)
  for (const router of routers) {
    const others = enrolled.filter(({ id }) => id !== router.id)
    await router.hears('peerStateChanges', () => others.every(({ id }) => statesOf(router, id).at(-1) === 'Healthy'))
  }
})

test('a router that has lost one of its connections is told again of those that are there, and of those that are gone', async () => {
  const [one, gone, there] = [
    await enrollRouter(controller),
    await enrollRouter(controller),
    await enrollRouter(controller),
  ]
  await using peer = await TestRouter.connect(controller, there)
  const policy = { ...linkDialPolicy, base: 10, minStable: 0 }
  const group = { type: 'ctrl.default', desired: { 'ctrl.default': 1, 'ctrl.high': 1 }, policy }
  await using router = await TestRouter.connect(controller, one, { group })
  await router.hears('peerStateChanges', () => statesOf(router, peer.id).length === 1)
  while (router.channel.countOf('ctrl.high') === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.deepEqual(statesOf(router, gone.id), [])
  router.channel.underlays.find(({ type }) => type === 'ctrl.high')!.connection.destroy()
  await router.hears('peerStateChanges', () => statesOf(router, gone.id).at(-1) === 'Unhealthy')
  assert.deepEqual(statesOf(router, peer.id), ['Healthy', 'Healthy'])
})
