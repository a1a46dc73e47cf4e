/** A program on the public Go SDK sets up one-time codes, during a login and apart from it, and is asked for them. */
import assert from 'node:assert/strict'
import test, { after } from 'node:test'
import { primaryFactors } from '../kit/specimens.ts'
import { InteropNetwork, sessionKinds } from './interop-network.ts'
import { Person } from './person.ts'
import { buildSample, visitSample } from './sample-visit.ts'
import type { Answer } from './sdk-client.ts'

const network = await InteropNetwork.start(buildSample)
after(() => network[Symbol.asyncDispose]())
const { client } = network

test('is set up by somebody who is logged in, and asked for from then on', async () => {
  const caller = await network.certifiedUser('with-app')
  const person = new Person()
  const told = await client.tells(['enroll-totp', ...caller.flags, '--session', 'legacy'], person.answer)
  for (const kind of sessionKinds) {
    const visited = await visitSample(network, kind, caller, person.answer)
    assert.equal(visited.all('code-wanted').length, 1)
    assert.equal(visited.one('identity')['isMfaEnabled'], true)
  }

  const recoveryCodes = told.one('totp-enrolled')['recoveryCodes'] as string[]
  assert.equal(new Set(recoveryCodes).size, 20)
  for (const [at, kind] of sessionKinds.entries()) {
    const recover: Answer = ({ event }) => (event === 'code-wanted' ? recoveryCodes[at] : undefined)
    await visitSample(network, kind, caller, recover)
    await client.fails(['visit', ...caller.flags, '--session', kind], recover)
  }
})

test('is set up during a login that demands it', async () => {
  const authPolicyId = await network.createAuthPolicy('two-factors', primaryFactors, { requireTotp: true })
  const caller = await network.certifiedUser('must-have-app', { authPolicyId })
  const person = new Person()
  const first = await visitSample(network, 'oidc', caller, person.answer)
  assert.equal(first.all('enrollment-code-wanted').length, 1)
  const second = await visitSample(network, 'oidc', caller, person.answer)
  assert.deepEqual([second.all('enrollment-code-wanted').length, second.all('code-wanted').length], [0, 1])
})

test('keeps out whoever mistypes', async () => {
  const { flags } = await network.certifiedUser('mistyping')
  const person = new Person()
  await client.tells(['enroll-totp', ...flags, '--session', 'legacy'], person.answer)
  const legacy = await client.fails(['visit', ...flags, '--session', 'legacy'], person.answerWrongly)
  assert.equal(legacy['code'], 'UNAUTHORIZED')
  const oidc = await client.fails(['visit', ...flags, '--session', 'oidc'], person.answerWrongly)
  assert.match(String(oidc['message']), /totp code did not verify/)
})
