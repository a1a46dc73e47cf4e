import assert from 'node:assert/strict'
import { test } from 'node:test'
import { claimsOf, OidcClient } from '../../testing/oidc-client.ts'
import { createPasswordUser } from '../../testing/password-user.ts'
import { TestController } from '../../testing/test-controller.ts'

test('a session of tokens is told when it begins and when it gets new ones, and no token is', async () => {
  await using controller = await TestController.start()
  const client = new OidcClient(controller)
  const user = await createPasswordUser(controller)
  const { access_token, refresh_token } = await client.tokens(user)
  assert.equal((await client.refresh(refresh_token)).status, 200)
  assert.equal((await client.refresh('junk')).status, 400)
  const told = await controller.stop()
  const events = told
    .split('\n')
    .filter((line) => line.includes('"type":"jwt"'))
    .map((line) => JSON.parse(line))
  const { z_asid } = claimsOf(access_token)
  assert.deepEqual(
    events.map(({ namespace, event_type, id, identity_id, token }) => [namespace, event_type, id, identity_id, token]),
    ['created', 'refreshed'].map((type) => ['edge.apiSessions', type, z_asid, user.identityId, '']),
  )
  assert.ok(!told.includes(access_token) && !told.includes(refresh_token))
})
