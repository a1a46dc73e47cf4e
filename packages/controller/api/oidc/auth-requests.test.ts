import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Authorization, AuthRequests, type PassedFactors } from './auth-requests.ts'

let now = 0
const clock = { now: () => now, monotonic: () => now }
const asked = (remote: string): Authorization => ({
  clientId: 'openziti',
  redirectUri: 'openziti://auth/callback',
  scopes: ['openid'],
  state: undefined,
  nonce: undefined,
  codeChallenge: '',
  configTypes: [],
  remote,
})

test('logins under way end after ten minutes, as do their codes', () => {
  const requests = new AuthRequests(clock)
  const [one, other] = [requests.open(asked('192.0.2.1:1')), requests.open(asked('192.0.2.1:2'))]
  now += 9 * 60_000
  assert.ok(requests.find(one.id))
  const { code } = requests.complete(other, {} as PassedFactors)
  assert.equal(requests.find(other.id), undefined, 'a completed one is not there any more')
  assert.ok(requests.findGrant(code))
  now += 60_000
  assert.equal(requests.find(one.id), undefined)
  assert.equal(requests.findGrant(code), undefined)
})

test('nobody may start more than a share of them, and all together not more than there is room for', () => {
  const requests = new AuthRequests(clock)
  const open = (address: string) => requests.open(asked(`${address}:443`))
  for (let count = 0; count < 5_000; count++) open('192.0.2.1')
  assert.throws(() => open('192.0.2.1'), { code: 'SERVER_TOO_MANY_REQUESTS' })
  for (const address of ['192.0.2.2', '192.0.2.3', '192.0.2.4']) {
    for (let count = 0; count < 5_000; count++) open(address)
  }
  assert.throws(() => open('192.0.2.5'), { code: 'SERVER_TOO_MANY_REQUESTS' })
  now += 11 * 60_000
  assert.ok(open('192.0.2.1'))
  assert.equal(requests.size, 1)
})
