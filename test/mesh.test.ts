/**
 * Routers and a controller of ours as processes, which are killed, frozen and started again: each time all find each
 * other within ten seconds of being able to, with exactly one link for each pair. WEFT_LONG makes it many random rounds.
 */
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Mesh } from './kit/mesh.ts'
import { until } from './kit/patience.ts'
import { seededRandom } from './kit/random.ts'

const names = ['r1', 'r2', 'r3']
const rounds = Number(process.env.WEFT_MESH_ROUNDS ?? (process.env.WEFT_LONG ? 100 : 0))
const limit = { timeout: 110_000 + rounds * 60_000 }

test('a mesh heals, whatever ends and comes back', limit, async (t) => {
  await using mesh = await Mesh.start()
  for (const name of names) await mesh.add(name)
  const [, second, third] = mesh.routers
  await Promise.all(mesh.routers.map((router) => router.run()))
  await mesh.converges(names, 'all are online with one link for each pair')

  await t.test('a router is killed and comes back', async () => {
    await second!.kill()
    await until('its links are gone', async () => (await mesh.pairs()).join() === 'r1-r3')
    assert.deepEqual(await mesh.online(), ['r1', 'r3'])
    await second!.run()
    await mesh.converges(names, 'the killed router is part of the mesh again')
  })

  await t.test('a router is frozen for a while', async () => {
    third!.child.signal('SIGSTOP')
    await sleep(2_000)
    third!.child.signal('SIGCONT')
    await mesh.converges(names, 'the frozen router is part of the mesh')
  })

  await t.test('the controller is killed and comes back; links live on', async () => {
    const before = await mesh.pairs()
    await mesh.restartController()
    await mesh.converges(names, 'all have found the controller again')
    assert.deepEqual(await mesh.pairs(), before)
    for (const { name, child } of mesh.routers) assert.ok(!child.hasEnded, name)
  })

  await t.test('random rounds', { skip: rounds === 0 }, async () => {
    const random = seededRandom()
    t.diagnostic(`WEFT_SEED=${random.seed}`)
    for (let round = 0; round < rounds; round++) await disturb(mesh, random, round)
  })

  await t.test('an end in order takes little time, and keeps the model for the next start', async () => {
    const [first] = mesh.routers
    const { code, milliseconds } = await first!.child.stop('SIGTERM')
    assert.equal(code, 0, first!.child.stderr)
    assert.ok(milliseconds < 5_000, `${milliseconds} ms`)
    assert.ok((await stat(`${first!.file}.proto.gzip`)).size > 0)
  })
})

async function disturb(mesh: Mesh, random: ReturnType<typeof seededRandom>, round: number): Promise<void> {
  const router = random.oneOf(mesh.routers)
  const pause = () => sleep(random.integer(3_000))
  const deed = random.oneOf(['kill', 'kill two', 'freeze', 'restart controller', 'freeze controller'] as const)
  if (deed === 'kill' || deed === 'kill two') {
    const chosen = deed === 'kill' ? [router] : mesh.routers.filter((each) => each !== router)
    await Promise.all(chosen.map((each) => each.kill()))
    await pause()
    await Promise.all(chosen.map((each) => each.run()))
  } else if (deed === 'freeze') {
    router.child.signal('SIGSTOP')
    await sleep(random.integer(50_000))
    router.child.signal('SIGCONT')
  } else if (deed === 'restart controller') {
    await mesh.restartController()
  } else {
    mesh.controller.child.signal('SIGSTOP')
    await sleep(random.integer(50_000))
    mesh.controller.child.signal('SIGCONT')
  }
  await mesh.converges(names, `round ${round}: ${deed} ${router.name}`)
}
