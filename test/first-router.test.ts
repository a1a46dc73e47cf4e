/** What `npm start` brings besides the controller: a router, enrolled and online, that comes back with it. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { ApiClient } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { until } from './kit/patience.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

interface ShownRouter {
  readonly id: string
  readonly name: string
  readonly isOnline: boolean
  readonly syncStatus: string
}

const limits = { timeout: 120_000 }

async function routersOf(admin: ApiClient): Promise<readonly ShownRouter[]> {
  return (await admin.list('/edge-routers')) as unknown as readonly ShownRouter[]
}

test(
  'the first router is enrolled and online, comes back with the network, and is not made twice',
  limits,
  async () => {
    await using folder = await temporaryFolder('first-router')
    const home = join(folder.path, 'home')
    {
      await using controller = await ControllerProcess.start({ home, hasRouter: true })
      assert.match(controller.child.stdout, /^ *router +router-1, online$/m)
      using admin = await ApiClient.login(controller)
      const [router] = await routersOf(admin)
      assert.equal(router?.name, 'router-1')
      await until('the router knows the network', async () => (await routersOf(admin))[0]?.syncStatus === 'SYNC_DONE')
    }
    await using again = await ControllerProcess.start({ home, hasRouter: true })
    assert.match(again.child.stdout, /^ *router +router-1, online$/m)
    using admin = await ApiClient.login(again)
    const [router, ...others] = await routersOf(admin)
    assert.deepEqual([router?.isOnline, others], [true, []])
    await admin.delete(`/edge-routers/${router!.id}`)
    await again.child.stop('SIGTERM')
    await using alone = await ControllerProcess.start({ home, hasRouter: true })
    assert.doesNotMatch(alone.child.stdout, /^ *router /m)
  },
)

test('the first router ends with its network, also when that is killed', limits, async () => {
  await using controller = await ControllerProcess.start({ hasRouter: true })
  assert.match(controller.child.stdout, /^ *router +router-1, online$/m)
  // The router has the same output, which closes when both are gone.
  const { signal, milliseconds } = await controller.child.stop('SIGKILL')
  assert.equal(signal, 'SIGKILL')
  assert.ok(milliseconds < 60_000, `${milliseconds} ms`)
})
