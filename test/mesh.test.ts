/**
 * Routers and a controller of ours as processes, which are killed, ended, frozen, cut off and started again: each time all
 * find each other within ten seconds of being able to, with exactly one link for each pair, of which routers say the same
 * as the controller, and no terminator that nobody hosts. WEFT_SEED repeats a schedule, WEFT_MESH_ROUNDS or WEFT_LONG makes
 * it longer.
 */
import assert from 'node:assert/strict'
import { stat } from 'node:fs/promises'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { chooseDamages, cutOff, type Damage, frozen } from './kit/damages.ts'
import { CONVERGENCE, Mesh } from './kit/mesh.ts'
import { until } from './kit/patience.ts'
import { seededRandom, shuffled } from './kit/random.ts'

const names = ['r1', 'r2', 'r3']
const rounds = Number(process.env.WEFT_MESH_ROUNDS ?? (process.env.WEFT_LONG ? 100 : 2))
/** Milliseconds; a long one is longer than any side waits for another. */
const longestOutage = { usual: 2_000, long: 80_000 }
const limit = { timeout: 110_000 + rounds * 60_000 }
const random = seededRandom()

test(`a mesh heals, whatever ends and comes back, WEFT_SEED=${random.seed}`, limit, async (t) => {
  await using mesh = await Mesh.start()
  // One cannot be dialled: its links are its own to make again.
  for (const name of names) await mesh.add(name, { isPrivate: name === 'r3' })
  const [, second, third] = mesh.routers
  await Promise.all(mesh.routers.map((router) => router.run()))
  await mesh.converges(names, 'all are online with one link for each pair')

  await t.test('a router is killed and comes back; what it does not host any more is forgotten', async () => {
    const left = await mesh.leaveTerminator(second!)
    await second!.kill()
    await until('its links are gone', async () => (await mesh.pairs()).join() === 'r1-r3')
    assert.deepEqual(await mesh.online(), ['r1', 'r3'])
    assert.deepEqual(await mesh.terminators(), [left])
    await second!.run()
    await mesh.converges(names, 'the killed router is part of the mesh again')
    await until('the terminator is gone', async () => (await mesh.terminators()).length === 0)
  })

  await t.test('a router is frozen for a while', async () => {
    third!.child.signal('SIGSTOP')
    await sleep(longestOutage.usual)
    third!.child.signal('SIGCONT')
    await mesh.converges(names, 'the frozen router is part of the mesh')
  })

  await t.test('a router is cut off for so long that all notice, and the controller as well', async () => {
    for (const name of ['r3', 'controller']) {
      mesh.network.cut(name, 'loud')
      const expected = name === 'r3' ? ['r1', 'r2'] : []
      await until(`${name} is missed`, async () => (await mesh.online()).join() === expected.join())
      mesh.network.mend(name)
      await mesh.converges(names, `${name} can be reached again`)
    }
  })

  await t.test('the controller is killed and comes back; links live on', async () => {
    const before = await mesh.linkLives()
    await mesh.endController()
    await mesh.runController()
    await mesh.converges(names, 'all have found the controller again')
    assert.deepEqual(await mesh.linkLives(), before)
    for (const { name, child } of mesh.routers) assert.ok(!child.hasEnded, name)
  })

  await t.test(`random rounds: ${rounds}`, async (context) => {
    let slowest = { milliseconds: 0, what: 'nothing' }
    for (let round = 1; round <= rounds; round++) {
      const { milliseconds, what } = await disturb(mesh, round)
      if (process.env.WEFT_LONG || rounds > 10) context.diagnostic(`${round}. ${what}: ${Math.round(milliseconds)} ms`)
      if (milliseconds > slowest.milliseconds) slowest = { milliseconds, what }
    }
    context.diagnostic(`the slowest of ${rounds} took ${Math.round(slowest.milliseconds)} ms: ${slowest.what}`)
  })

  await t.test('an end in order takes little time, and keeps the model for the next start', async () => {
    const { code, milliseconds } = await third!.child.stop('SIGTERM')
    assert.equal(code, 0, third!.child.stderr)
    assert.ok(milliseconds < 5_000, `${milliseconds} ms`)
    assert.ok((await stat(`${third!.file}.proto.gzip`)).size > 0)
  })
})

/** What can happen to each of the programs. */
function damages(mesh: Mesh): readonly (readonly Damage[])[] {
  const { network, controller } = mesh
  const ofRouters = mesh.routers.map((router) => [
    { name: `${router.name} is killed`, happen: () => router.kill(), mend: () => router.run() },
    {
      name: `${router.name} is ended`,
      happen: async () => void (await router.child.stop('SIGTERM')),
      mend: () => router.run(),
    },
    frozen(router.name, (signal) => router.child.signal(signal)),
    ...cutOff(network, router.name, random),
  ])
  const ofController = [
    { name: 'the controller is killed', happen: () => mesh.endController(), mend: () => mesh.runController() },
    { name: 'the controller is ended', happen: () => mesh.endController('SIGTERM'), mend: () => mesh.runController() },
    frozen('the controller', (signal) => controller.child.signal(signal)),
    ...cutOff(network, 'controller', random),
  ]
  return [...ofRouters, ofController]
}

/** One round: what has happened, and how long it took until all was well, from when on all could reach each other. */
async function disturb(mesh: Mesh, round: number): Promise<{ readonly what: string; readonly milliseconds: number }> {
  const happening = chooseDamages(damages(mesh), random)
  const what = happening.map(({ name }) => name).join(', ')
  const left = await Promise.all(mesh.routers.map((router) => mesh.leaveTerminator(router)))
  for (const { happen } of happening) {
    await happen()
    await sleep(random.integer(500))
  }
  const isLong = process.env.WEFT_LONG !== undefined && random.integer(4) === 0
  await sleep(random.integer(isLong ? longestOutage.long : longestOutage.usual))
  for (const { mend } of shuffled(happening, random)) await mend()
  const mended = performance.now()
  await mesh.converges(names, `round ${round}: ${what}`)
  // Those that have connected anew were asked what they host.
  const hasBegunAnew = (name: string) => happening.some((damage) => damage.name.startsWith(name) && isAnEnd(damage))
  const isAsked = mesh.routers.map(({ name }) => hasBegunAnew(name) || hasBegunAnew('the controller'))
  const stale = left.filter((_, at) => isAsked[at])
  let found: readonly string[] = []
  const isSettled = async () => {
    const terminators = await mesh.terminators()
    found = [...(await mesh.disagreements()), ...stale.filter((id) => terminators.includes(id))]
    return found.length === 0
  }
  await until('all say the same', isSettled, { within: CONVERGENCE, every: 100 }).catch((error: Error) => {
    throw new Error(`round ${round}: ${what}: ${error.message}: ${found.join('; ')}`)
  })
  return { what, milliseconds: performance.now() - mended }
}

function isAnEnd({ name }: Damage): boolean {
  return /is (killed|ended)$/.test(name)
}
