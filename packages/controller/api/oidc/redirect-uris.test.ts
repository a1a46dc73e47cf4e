import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRegistered, nativeRedirectUris, withParameters } from './redirect-uris.ts'

test('native applications return to any port of the loopback, but to some port', () => {
  for (const uri of [
    'http://localhost:1/auth/callback',
    'https://127.0.0.1:65535/auth/callback',
    'openziti://auth/callback',
  ]) {
    assert.ok(isRegistered(uri, nativeRedirectUris), uri)
  }
  for (const uri of [
    'http://localhost/auth/callback',
    'http://localhost:/auth/callback',
    'http://localhost:0/auth/callback',
    'http://localhost:65536/auth/callback',
    'http://localhost:80@evil.example/auth/callback',
    'http://localhost:80/../evil/auth/callback',
    'http://localhost:80/other/auth/callback',
    'http://localhost:80/auth/callback#x',
    'http://localhost.evil.example:80/auth/callback',
    'HTTP://localhost:80/auth/callback',
    'http://[::1]:80/auth/callback',
    'openziti://auth/callback/more',
  ]) {
    assert.ok(!isRegistered(uri, nativeRedirectUris), uri)
  }
})

test('parameters are added to what a URI has', () => {
  assert.equal(withParameters('x://y', { code: 'a b', state: undefined }), 'x://y?code=a+b')
  assert.equal(withParameters('x://y?z=1', { code: 'c', state: '&' }), 'x://y?z=1&code=c&state=%26')
})
