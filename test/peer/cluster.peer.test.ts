/**
 * Our routers under a cluster of stock controllers: connected to each, told by one of the others, and whole again when one
 * was away. Run by `npm run test:peer`.
 */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { readEndpointsFile } from '@weft/router'
import { ApiClient } from '../kit/api-client.ts'
import { admin } from '../kit/controller-process.ts'
import { until } from '../kit/patience.ts'
import { RouterProcess } from '../kit/router-process.ts'
import { temporaryFolder } from '../kit/temporary-folder.ts'
import { type ClusterMember, startCluster } from './peer-cluster.ts'

const PATIENCE = { within: 60_000, every: 300 }
const ids = ['c1', 'c2']

test('a router serves several controllers, and finds one that was away again', { timeout: 240_000 }, async () => {
  await using folder = await temporaryFolder('peer-cluster')
  await using running = new AsyncDisposableStack()
  const { members } = await startCluster(folder.path, ids, running)
  const routers: RouterProcess[] = []
  for (const name of ['r1', 'r2']) {
    using client = await ApiClient.login(members[0]!, admin)
    const created = await until(
      'the cluster has a leader and takes writes',
      async () => {
        const { status, body } = await client.post('/edge-routers', { name })
        return status === 201 ? (body!.data as { readonly id: string }) : undefined
      },
      PATIENCE,
    )
    const { enrollmentJwt } = await client.detail(`/edge-routers/${created.id}`)
    const router = running.use(await RouterProcess.enroll({ name, jwt: String(enrollmentJwt), folder: folder.path }))
    await router.run()
    routers.push(router)
  }
  const isWhole = async (member: ClusterMember) => {
    try {
      using client = await ApiClient.login(member, admin)
      using fabric = new ApiClient(member, { base: '/fabric/v1', token: client.token! })
      const online = (await fabric.list('/routers')).filter(({ connected }) => connected === true)
      const links = (await fabric.list('/links')).filter(({ state }) => state === 'Connected')
      return online.length === 2 && links.length === 1
    } catch {
      // A controller that has just started does not answer everything yet.
      return false
    }
  }
  const allAgree = async () => (await Promise.all(members.map(isWhole))).every(Boolean)
  await until('each controller knows both routers and their one link', allAgree, PATIENCE)
  for (const { file } of routers) {
    const known = readEndpointsFile(join(file, '..', 'endpoints.yml'))
    assert.deepEqual(known.map(({ id }) => id).sort(), ids, 'what controllers say of each other is kept')
  }

  // While both sides dialled, a second link between them may have come and gone.
  const said = routers.map(({ child }) => child.stderr.length)
  await members[0]!.kill()
  await until('its channel is lost', () => routers.every(({ child }) => child.stderr.includes('control channel ended')))
  assert.ok(
    routers.every(({ child }, at) => !child.stderr.slice(said[at]).includes('link has ended')),
    'links live on',
  )
  members[0]!.run()
  await until('all agree again', allAgree, PATIENCE)
  await routers[1]!.kill()
  await routers[1]!.run()
  await until('all agree after a router has come back', allAgree, PATIENCE)
})
