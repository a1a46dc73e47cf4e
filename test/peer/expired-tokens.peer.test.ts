/**
 * What a program has open by an access token ends when the token's time is over and nobody has renewed it: a stock router
 * closes the program's channel, and the controller knows neither its circuits nor its terminators any more. A program that
 * renews its token notices nothing.
 */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { until } from '../kit/patience.ts'
import { TrafficNetwork } from './traffic-network.ts'

const network = await TrafficNetwork.start({ r1: {} }, { edge: { oidc: { accessTokenDuration: '1m' } } })
after(() => network[Symbol.asyncDispose]())

const OIDC = ['--session', 'oidc']
/** A token's life, what the router and the controller need to notice its end, and a slow machine. */
const LIMIT = 100_000

test('circuits and terminators end with the time of a token that nobody renews', { timeout: 240_000 }, async () => {
  const member = (name: string, role: string) => network.enroll(name, role, 'near-r1')
  const [host, client] = [await member('host', 'hosts'), await member('client', 'clients')]
  const [stoppedHost, stoppedClient] = [
    await member('stopped-host', 'hosts'),
    await member('stopped-client', 'clients'),
  ]
  await network.service('kept')
  await network.service('lost')
  await using hosting = await network.host(host, 'kept', ...OIDC)
  await using lost = await network.host(stoppedHost, 'lost', ...OIDC)
  const dial = async (who: typeof client) => {
    const dialled = network.dial(who, 'kept', ...OIDC, '--exchange', 'hold')
    await dialled.tells('holding')
    return { dialled, circuitId: String((await dialled.tells('connected'))['circuitId']) }
  }
  const renewing = await dial(client)
  await using _renewing = renewing.dialled
  const forgetful = await dial(stoppedClient)
  await using _forgetful = forgetful.dialled

  for (const stopped of [lost, forgetful.dialled]) stopped.signal('SIGSTOP')
  const isCut = async () => (await network.pathOf(forgetful.circuitId)) === undefined
  await until('the circuit is gone', isCut, { within: LIMIT, every: 500 })
  const terminators = () => network.fabric('/terminators?limit=500')
  const isGone = async () => !(await terminators()).some(({ hostId }) => hostId === stoppedHost.id)
  await until('the terminator is gone', isGone, { within: LIMIT, every: 500 })
  assert.ok((await terminators()).some(({ hostId }) => hostId === host.id))
  assert.deepEqual(await network.pathOf(renewing.circuitId), ['r1'])
  assert.equal(renewing.dialled.all('exchanged').length, 0, renewing.dialled.report)
  assert.equal(hosting.all('served').length, 1, hosting.report)
})
