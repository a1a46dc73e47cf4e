import assert from 'node:assert/strict'
import { test } from 'node:test'
import { externalChallenge } from './challenges.ts'

test('an external challenge names every signer', () => {
  const signers = [
    { id: 'a', issuer: 'https://idp.example/1' },
    { id: 'b', issuer: 'https://idp.example/2' },
  ]
  assert.equal(
    externalChallenge('primary', 'missing', signers),
    'Bearer realm="openziti-primary-ext-jwt" error="missing" error_description="no matching token was provided" ' +
      'id="a|b" issuer="https://idp.example/1|https://idp.example/2"',
  )
})

test('no issuer can end the header or add to it', () => {
  const issuer = 'x"\r\nset-cookie: a=b\u0000|é\ud800'
  const header = externalChallenge('secondary', 'invalid', [{ id: 'a', issuer }])
  assert.match(header, /issuer="x%22%0D%0Aset-cookie: a=b%00%7C%C3%A9%EF%BF%BD"$/)
  assert.doesNotThrow(() => new Headers({ 'www-authenticate': header }))
})
