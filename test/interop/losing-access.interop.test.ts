/** A program on the public Go SDK is refused what it may not have, and loses at once what is taken from it. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import type { Reply } from '../kit/api-client.ts'
import { InteropNetwork, type SessionKind, sessionKinds } from './interop-network.ts'
import { assertKeptOut } from './kept-out.ts'
import { buildSample } from './sample-visit.ts'
import type { Answer } from './sdk-client.ts'

const network = await InteropNetwork.start(buildSample)
after(() => network[Symbol.asyncDispose]())
const { admin, client } = network

interface Victim {
  readonly identityId: string
  readonly sessionId: string
  readonly kind: SessionKind
}

/** What an administrator may do to somebody who is logged in. */
const losses: Readonly<Record<string, (victim: Victim) => Promise<Reply>>> = {
  'its identity is deleted': ({ identityId }) => admin.delete(`/identities/${identityId}`),
  'its identity is disabled': ({ identityId }) => disable(identityId),
  'its certificate is taken away': async ({ identityId }) => {
    const [authenticator] = await admin.list('/authenticators', `identity = "${identityId}"`)
    return admin.delete(`/authenticators/${authenticator!['id']}`)
  },
  'its session is ended': ({ sessionId, kind }) =>
    kind === 'legacy'
      ? admin.delete(`/api-sessions/${sessionId}`)
      : admin.post('/revocations', { id: sessionId, type: 'API_SESSION' }),
}

for (const kind of sessionKinds) {
  for (const [when, lose] of Object.entries(losses)) {
    test(`a session ends when ${when} (${kind})`, async () => {
      const { id: identityId, flags } = await network.certifiedUser(`${when} ${kind}`)
      let sessionId = ''
      const answer: Answer = async (event) => {
        if (event.event === 'authenticated') sessionId = String(event['id'])
        if (event.event !== 'paused') return undefined
        const { status, text } = await lose({ identityId, sessionId, kind })
        assert.ok(status === 200 || status === 201, text)
        return 'go on'
      }
      const { code } = await client.fails(['visit', ...flags, '--session', kind, '--pause'], answer)
      assert.equal(code, 'UNAUTHORIZED')
    })
  }

  test(`a disabled identity is not let in (${kind})`, async () => {
    const { id, flags } = await network.certifiedUser(`disabled-${kind}`)
    await disable(id)
    await assertKeptOut(network, kind, flags, 'INVALID_AUTH')
    const enabled = await admin.post(`/identities/${id}/enable`)
    assert.equal(enabled.status, 200, enabled.text)
    await client.tells(['visit', ...flags, '--session', kind])
  })

  test(`nobody is let in without a name (${kind})`, async () => {
    const flags = network.without('--username', 'nobody', '--password', 'nothing')
    await assertKeptOut(network, kind, flags, 'INVALID_AUTH')
  })

  test(`a session that no policy grants is refused (${kind})`, async () => {
    const { flags } = await network.certifiedUser(`modest-${kind}`)
    const { code, message } = await client.fails(['visit', ...flags, '--session', kind, '--bind', 'web'])
    assert.equal(code, 'COULD_NOT_VALIDATE')
    assert.match(String(message), /service not found/)
  })
}

function disable(identityId: string): Promise<Reply> {
  return admin.post(`/identities/${identityId}/disable`, { durationMinutes: 0 })
}
