/**
 * A controller that dials its routers, and a router that waits to be dialled, as processes that are killed and come back.
 * Whoever dials, there is one channel, and it lasts. WEFT_SEED repeats a schedule, WEFT_LONG makes it longer.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiClient, type Json } from './kit/api-client.ts'
import { ControllerProcess } from './kit/controller-process.ts'
import { initialised } from './kit/initialised.ts'
import { enrollListening, forgetControllers } from './kit/listening-router.ts'
import { TestStream } from './kit/management-stream.ts'
import { slack, until } from './kit/patience.ts'
import { seededRandom } from './kit/random.ts'
import { temporaryFolder } from './kit/temporary-folder.ts'

const rounds = process.env.WEFT_LONG ? 40 : 0
const limits = { timeout: 115_000 + rounds * 30_000 }
const random = seededRandom()
const RECOVERY = 10_000 * slack

const dialer = {
  ...{ enabled: true, groups: ['default'], dialDelay: '0s', minRetryInterval: '200ms', maxRetryInterval: '1s' },
  fastFailureWindow: '1s',
}

test('a router that waits to be dialled is online, and comes back whoever was killed', limits, async (t) => {
  await using folder = await temporaryFolder('dialled')
  const configuration = await initialised(`${folder.path}/home`, { ctrl: { dialer }, bindings: ['fabric'] })
  await using running = new AsyncDisposableStack()
  let controller = await ControllerProcess.run(configuration)
  running.defer(() => controller[Symbol.asyncDispose]())
  const admin = () => ApiClient.login(controller)
  using first = await admin()
  const id = await first.create('edge-routers', { name: 'waits' })
  const jwt = String((await first.detail(`/edge-routers/${id}`))['enrollmentJwt'])
  const { router, address } = await enrollListening({ name: 'waits', jwt, folder: folder.path })
  running.use(router)
  const isOnline = async () => {
    using asking = await admin()
    return (await asking.detail(`/edge-routers/${id}`))['isOnline'] === true
  }
  const becomesOnline = (what: string) => until(what, isOnline, { within: RECOVERY })
  const inspect = async (value: string, of = 'controller') => {
    using asking = await admin()
    using fabric = new ApiClient(controller, { base: '/fabric/v1', token: asking.token! })
    const found = await fabric.post('/inspections', { appRegex: `^${of}$`, requestedValues: [value] })
    return (found.body as { values: { value: Json }[] }).values[0]?.value as Json
  }
  const dialState = async () => ((await inspect('ctrl-dialer'))['routers'] as Json[] | null)?.[0]
  /** Longer than what a channel has to last for the controller. */
  const stays = async () => {
    const connects = () => controller.child.stderr.split('router connected').length
    const before = connects()
    await sleep(1_200)
    assert.equal(connects(), before, 'no other channel takes the place of the one that there is')
    assert.equal(await isOnline(), true)
  }

  await t.test('it is dialled as soon as the controller knows where', async () => {
    await router.run()
    await sleep(500)
    assert.equal(await isOnline(), false)
    await first.patch(`/edge-routers/${id}`, { ctrlChanListeners: { [address]: ['default'] } })
    await becomesOnline('it is dialled')
    assert.match(
      router.child.stderr,
      /tcp:127\.0\.0\.1:\d+.*controller connected/u,
      'it was dialled, and has not dialled',
    )
    const index = async () => Number((await inspect('router-data-model-index', id))['index'])
    await until('it has the data model', async () => (await index()) > 0)
    await stays()
    assert.deepEqual((await first.detail(`/edge-routers/${id}`))['ctrlChanListeners'], { [address]: ['default'] })
    await until('nothing is left to do', async () => (await dialState()) === undefined)
  })

  await t.test('the router is killed, and waits again', async () => {
    await router.kill()
    await until('it is missed', async () => !(await isOnline()))
    const state = await until('it is being dialled', () => dialState())
    assert.deepEqual([state['routerId'], state['addresses']], [id, [address]])
    assert.match(String(state['status']), /^(NeedsDial|Dialing)$/u)
    assert.deepEqual(await validated(controller, first.token!), [
      { id, isValid: false, errors: /^not connected, dial state is (NeedsDial|Dialing)$/u },
    ])
    await forgetControllers(router)
    await router.run()
    await becomesOnline('it is dialled again')
    await stays()
    assert.deepEqual(await validated(controller, first.token!), [{ id, isValid: true, errors: /^$/u }])
  })

  await t.test('the controller is killed; now both sides dial', async () => {
    await controller.kill()
    controller = await ControllerProcess.run(configuration)
    await becomesOnline('they find each other')
    await stays()
  })

  await t.test('both are killed', async () => {
    await Promise.all([router.kill(), controller.kill()])
    await forgetControllers(router)
    await router.run()
    controller = await ControllerProcess.run(configuration)
    await becomesOnline('the controller remembers where it is')
    await stays()
  })

  if (rounds > 0)
    await t.test(`${rounds} times more, in whatever order, WEFT_SEED=${random.seed}`, async () => {
      for (let round = 0; round < rounds; round++) {
        const isRouter = random.integer(2) === 0
        const isForgetful = random.integer(2) === 0
        await (isRouter ? router : controller).kill()
        await sleep(random.integer(3_000))
        if (isRouter && isForgetful) await forgetControllers(router)
        if (isRouter) await router.run()
        else controller = await ControllerProcess.run(configuration)
        await becomesOnline(`round ${round}, ${isRouter ? 'the router' : 'the controller'} is back`)
        await stays()
      }
    })
})

interface Validated {
  readonly id: string
  readonly isValid: boolean
  readonly errors: RegExp
}

/** What the validation of the dialers says; errors are what they match. */
async function validated(controller: ControllerProcess, token: string): Promise<readonly Validated[]> {
  await using stream = await TestStream.open(controller, token)
  const results = stream.collect('controllerDialersResult')
  const { message } = await stream.request('validateControllerDialers', {})
  assert.deepEqual([message.body.success, message.body.message], [true, ''])
  await until('all results have come', () => results.length === Number(message.body.count))
  return results.map(({ body }) => {
    const text = body.errors.join()
    const errors = [/^$/u, /^not connected, dial state is (NeedsDial|Dialing)$/u].find((known) => known.test(text))
    return { id: body.componentId, isValid: body.validateSuccess, errors: errors ?? new RegExp(text) }
  })
}
