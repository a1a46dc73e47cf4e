/** The stock tunneler logs in, offers the services that its identity may reach, and follows when that changes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test, { after } from 'node:test'
import { Child } from '../kit/child-process.ts'
import { freePort } from '../kit/free-port.ts'
import { until } from '../kit/patience.ts'
import { findPeer } from '../runner/find-peer.ts'
import { PeerNetwork } from './peer-network.ts'

const network = await PeerNetwork.start()
after(() => network[Symbol.asyncDispose]())
const { cli } = network

/** Long enough for several of the tunneler's rounds, which are a second apart. */
const patience = { within: 40_000, every: 200 }

test('offers a service while a policy grants it', { timeout: 180_000 }, async () => {
  const port = await freePort()
  const settings = { port, protocols: ['tcp'], binding: '127.0.0.1' }
  await cli.says('edge', 'create', 'config', 'web-proxy', 'proxy.v1', JSON.stringify(settings))
  await cli.says('edge', 'create', 'service', 'web', '-c', 'web-proxy')
  await cli.says('edge', 'create', 'identity', 'tunneler', '-o', 'tunneler.jwt')
  await cli.says('edge', 'enroll', '-j', 'tunneler.jwt', '-o', 'tunneler.json', '-a', 'EC')
  const grant = ['service-policy', 'grant', 'Dial', '--identity-roles', '@tunneler', '--service-roles', '@web']
  await cli.says('edge', 'create', ...grant)

  const args = ['tunnel', 'proxy', '-i', 'tunneler.json', '--svcPollRate', '1', '--cli-agent=false']
  await using tunneler = new Child(findPeer(process.env)!, args, { cwd: cli.folder, env: { HOME: cli.folder } })
  const isOffered = async (wanted: boolean) => {
    assert.ok(!tunneler.hasEnded, tunneler.stderr)
    return (await isListening(port)) === wanted
  }
  await until('the service is offered', () => isOffered(true), patience)
  await cli.says('edge', 'delete', 'service-policy', 'grant')
  await until('the service is withdrawn', () => isOffered(false), patience)
  await cli.says('edge', 'create', ...grant)
  await until('the service is offered again', () => isOffered(true), patience)

  const { sdkInfo } = await cli.named('identities', 'tunneler')
  assert.partialDeepStrictEqual(sdkInfo, { type: 'ziti-sdk-golang' })
})

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
