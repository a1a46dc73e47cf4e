import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { controlMessages } from '@weft/wire/messages'
import { systemClock } from '../../clock.ts'
import { createLogger } from '../../log/logger.ts'
import { TestNetwork } from '../../resources/test-network.ts'
import { controlPair } from '../../testing/control-pair.ts'
import { SessionSync } from './session-sync.ts'

const log = createLogger({ stream: process.stderr }, { level: 'error', format: 'json' })
const LOGINS = 3_000

test('a router hears of every login, however many there are while it is busy', async () => {
  const network = new TestNetwork()
  const identityId = network.change((change) => change.create('identities', { name: 'somebody' }).id)
  using sessions = new SessionSync({ view: network.view, writer: network, clock: systemClock, log })
  const heard: string[] = []
  const isAll = Promise.withResolvers<void>()
  await using pair = await controlPair('r1', (router) => {
    router.handle(controlMessages.typeOf('apiSessionAdded'), (frame) => {
      const { apiSessions } = controlMessages.decodeAs('apiSessionAdded', frame).body
      heard.push(...apiSessions.map(({ token }) => token))
      if (heard.length >= LOGINS) isAll.resolve()
    })
  })
  sessions.sync(pair.connection)
  const tokens: string[] = []
  for (let left = LOGINS; left > 0; left--) {
    const token = randomUUID()
    network.change((change) => change.create('apiSessions', { token, identityId, lastActivityAt: change.now }))
    tokens.push(token)
    // Now and then the router gets a turn, and otherwise falls behind.
    if (left % 700 === 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await isAll.promise
  assert.deepEqual(heard.toSorted(), tokens.toSorted())
})
