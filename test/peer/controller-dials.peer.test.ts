/**
 * Control channels that controllers dial, with the stock peer on either side: our controller and a stock router, a stock
 * controller and our router. The routers know no controller that they could dial. Run by `npm run test:peer`.
 */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiClient } from '../kit/api-client.ts'
import { admin, ControllerProcess } from '../kit/controller-process.ts'
import { freePort } from '../kit/free-port.ts'
import { initialised } from '../kit/initialised.ts'
import { enrollListening, forgetControllers } from '../kit/listening-router.ts'
import { until } from '../kit/patience.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'
import { PeerCli } from './peer-cli.ts'
import { PeerController } from './peer-controller.ts'
import { StockRouter } from './stock-router.ts'

const limit = { timeout: 240_000 }
const PATIENCE = 60_000
const dialer = {
  ...{ enabled: true, groups: ['west'], dialDelay: '1s', minRetryInterval: '500ms', maxRetryInterval: '2s' },
  fastFailureWindow: '2s',
}

test('our controller dials a stock router, which is known and served like any other', limit, async () => {
  await using folder = await temporaryFolder('peer-dialled')
  const configuration = await initialised(join(folder.path, 'home'), { ctrl: { dialer }, bindings: ['fabric'] })
  await using running = new AsyncDisposableStack()
  let controller = await ControllerProcess.run(configuration)
  running.defer(() => controller[Symbol.asyncDispose]())
  const cli = new PeerCli(folder.path)
  const login = ['edge', 'login', controller.url, '-u', admin.username, '-p', admin.password]
  await cli.says(...login, '--ca', join(configuration.home, 'pki', 'cas.pem'))
  using client = await ApiClient.login(controller)
  const address = `tls:127.0.0.1:${await freePort()}`
  const place = { admin: () => client, controlAddress: `127.0.0.1:${controller.port}`, folder: folder.path }
  const nowhere = { endpoint: `tls:127.0.0.1:${await freePort()}`, endpointsFile: '/dev/null' }
  const router = running.use(
    await StockRouter.start(place, 'stock', {
      row: { ctrlChanListeners: { [address]: ['west'] } },
      sections: { ctrl: { ...nowhere, listeners: [{ bind: address, groups: ['west', 'east'] }] } },
    }),
  )
  const detail = () => client.detail(`/edge-routers/${router.id}`)
  await until('it has the data model', async () => (await detail())['syncStatus'] === 'SYNC_DONE', { within: PATIENCE })
  assert.deepEqual((await detail())['ctrlChanListeners'], { [address]: ['west', 'east'] }, 'what it says counts')
  const validate = () => cli.says('fabric', 'validate', 'controller-dialers', '--include-successes')
  assert.match(await validate(), /\b0 errors found/)
  assert.match(await cli.says('fabric', 'validate', 'router-data-model'), /\b0 errors found/)
  assert.match(await cli.says('fabric', 'inspect', 'ctrl-dialer'), /maxRetryInterval: 2s/)

  const bootstrap = ['--bootstrap-ctrl-chan-listener', 'tls:127.0.0.1:6262=west']
  await cli.says('edge', 'create', 'edge-router', 'later', ...bootstrap)
  const later = await cli.named('edge-routers', 'later')
  assert.deepEqual(later['ctrlChanListeners'], { 'tls:127.0.0.1:6262': ['west'] })
  await cli.says('edge', 'delete', 'edge-router', 'later')

  await router.kill()
  await router.isOnline(false)
  const { status, stdout } = await cli.run('fabric', 'validate', 'controller-dialers')
  assert.match(`${status} ${stdout}`, /^1 .*not connected, dial state is (NeedsDial|Dialing)/su)
  router.restart()
  await router.isOnline(true)

  // Now it knows the controller too, and both sides dial.
  await controller.kill()
  controller = await ControllerProcess.run(configuration)
  await until('they find each other', async () => (await isOnlineAt(controller, router.id)) === true, {
    within: PATIENCE,
    every: 200,
  })
  await sleep(5_000)
  assert.equal(await isOnlineAt(controller, router.id), true)
  assert.equal(controller.child.stderr.split('router connected').length - 1, 1, controller.child.stderr)
})

async function isOnlineAt(controller: ControllerProcess, routerId: string): Promise<boolean> {
  using client = await ApiClient.login(controller)
  return (await client.detail(`/edge-routers/${routerId}`))['isOnline'] === true
}

test('a stock controller dials our router, which serves it like any other', limit, async () => {
  await using folder = await temporaryFolder('peer-dials')
  await using controller = await PeerController.startFromNothing(folder.path, { dialer })
  const { cli } = controller
  using clients = new DisposableStack()
  let client = clients.use(await ApiClient.login(controller))
  const id = await client.create('edge-routers', { name: 'ours' })
  const jwt = String((await client.detail(`/edge-routers/${id}`))['enrollmentJwt'])
  const { router, address } = await enrollListening({ name: 'ours', jwt, folder: folder.path, groups: ['west'] })
  await using _ = router
  await router.run()
  const detail = () => client.detail(`/edge-routers/${id}`)
  const is = (isOnline: boolean) =>
    until(`it is ${isOnline ? 'on' : 'off'}line`, async () => (await detail())['isOnline'] === isOnline, {
      within: PATIENCE,
      every: 200,
    }).catch((error: Error) => {
      throw new Error(`${error.message}\n${router.child.stderr.slice(-3_000)}\n${controller.log.slice(-3_000)}`)
    })
  await client.patch(`/edge-routers/${id}`, { ctrlChanListeners: { [address]: ['west'] } })
  await is(true)
  assert.match(
    router.child.stderr,
    /tcp:127\.0\.0\.1:\d+.*controller connected/u,
    'it was dialled, and has not dialled',
  )
  assert.deepEqual((await detail())['ctrlChanListeners'], { [address]: ['west'] })
  assert.match(await cli.says('fabric', 'validate', 'controller-dialers', '--include-successes'), /\b0 errors found/)
  const hasModel = async () => (await cli.run('fabric', 'validate', 'router-data-model')).status === 0
  await until('it has the data model', hasModel, { within: PATIENCE, every: 500 })
  assert.match(await cli.says('fabric', 'inspect', 'router-controllers'), new RegExp(`${id}.router-controllers`))

  await router.kill()
  await is(false)
  await forgetControllers(router)
  await router.run()
  await is(true)
  await sleep(5_000)
  assert.equal((await detail())['isOnline'], true)
  assert.equal(router.child.stderr.split('controller connected').length - 1, 1, router.child.stderr)

  // Now it knows the controller too, and both sides dial.
  await router.kill()
  await is(false)
  await writeFile(join(router.file, '..', 'endpoints.yml'), `endpoints: ["tls:${controller.controlAddress}"]\n`)
  await router.run()
  await is(true)
  await controller.restart()
  client = clients.use(await ApiClient.login(controller))
  await is(true)
  const connects = () => router.child.stderr.split('controller connected').length - 1
  const isSettled = async () => {
    const before = connects()
    await sleep(8_000)
    return connects() === before && (await detail())['isOnline'] === true
  }
  await until('they have settled', isSettled, { within: PATIENCE })
  assert.ok(connects() <= 6, router.child.stderr)
})
