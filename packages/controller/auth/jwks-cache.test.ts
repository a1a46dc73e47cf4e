import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from '../log/logger.ts'
import { standardStream } from '../log/standard-stream.ts'
import { TokenIssuer } from '../testing/token-issuer.ts'
import { JwksCache } from './jwks-cache.ts'

const endpoint = 'https://idp.example/keys'
const [one, two] = [TokenIssuer.ec('one'), TokenIssuer.ec('two')]

function prepare() {
  const idp = { now: 0, published: [one] as readonly TokenIssuer[], isDown: false, asked: 0 }
  const clock = { now: () => idp.now, monotonic: () => idp.now }
  const log = createLogger({ stream: standardStream(2) }, { level: 'error', format: 'json' })
  const fetch = async () => {
    idp.asked++
    if (idp.isDown) throw new Error('down')
    return { keys: idp.published.map(({ jwk }) => jwk) }
  }
  const cache = new JwksCache({ clock, log, fetch })
  const count = async (keyId: string) => (await cache.keysOf(endpoint, keyId)).length
  return { idp, count }
}

test('many who ask at once cause one fetch, and what is fresh is not fetched again', async () => {
  const { idp, count } = prepare()
  const counts = await Promise.all(Array.from({ length: 20 }, () => count('one')))
  assert.deepEqual(new Set(counts), new Set([1]))
  idp.now += 60_000
  assert.equal(await count('one'), 1)
  assert.equal(idp.asked, 1)
})

test('made-up key ids cause at most one fetch a second', async () => {
  const { idp, count } = prepare()
  for (let i = 0; i < 100; i++) {
    assert.equal(await count(`made up ${i}`), 0)
    idp.now += 50
  }
  assert.equal(idp.asked, 5)
})

test('a new key is found at once, and a withdrawn one is gone with the next fetch', async () => {
  const { idp, count } = prepare()
  assert.equal(await count('one'), 1)
  idp.published = [two]
  idp.now += 1_000
  assert.equal(await count('two'), 1)
  assert.equal(await count('one'), 0)
})

test('a withdrawn key is gone after some minutes though nobody asks for another', async () => {
  const { idp, count } = prepare()
  assert.equal(await count('one'), 1)
  idp.published = [two]
  idp.now += 5 * 60_000
  assert.equal(await count('one'), 0)
})

test('an endpoint that fails is asked ever more rarely', async () => {
  const { idp, count } = prepare()
  idp.isDown = true
  for (let second = 0; second < 300; second++) {
    assert.equal(await count('one'), 0)
    idp.now += 1_000
  }
  assert.ok(idp.asked >= 8 && idp.asked <= 12, `${idp.asked} times`)
  idp.isDown = false
  idp.now += 60_000
  assert.equal(await count('one'), 1)
})

test('while it fails the last keys serve, but not for ever', async () => {
  const { idp, count } = prepare()
  assert.equal(await count('one'), 1)
  idp.isDown = true
  idp.now += 30 * 60_000
  assert.equal(await count('one'), 1)
  idp.now += 30 * 60_000
  assert.equal(await count('one'), 0)
})
