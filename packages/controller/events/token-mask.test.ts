import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskToken } from './token-mask.ts'

test('shows a fingerprint: the same for the same token, nothing of the token itself', () => {
  const token = '77cffde5-f68e-4ef0-bbb5-731db36145f5'
  assert.match(maskToken(token), /^sha256:[0-9a-f]{16}$/)
  assert.equal(maskToken(token), maskToken(token))
  assert.notEqual(maskToken(token), maskToken(`${token}x`))
  assert.equal(maskToken('abc'), 'sha256:ba7816bf8f01cfea')
})

test('no token stays no token', () => assert.equal(maskToken(''), ''))
