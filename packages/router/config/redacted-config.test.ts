import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadRouterConfig } from './load-router-config.ts'
import { redactedConfig } from './redacted-config.ts'

test('keys in place and passwords are not shown, the rest is', () => {
  const text = `
v: 3
identity: { cert: r1.cert, key: "pem:hunter1", server_key: "-----BEGIN PRIVATE KEY-----hunter2", ca: r1.cas }
ctrl: { endpoint: "tls:ctrl:1280" }
proxy: { type: http, address: "proxy:1", username: me, password: hunter3 }
`
  const shown = JSON.stringify(redactedConfig(loadRouterConfig({ fileName: 'r.yml', text }, {}, {}).config))
  assert.doesNotMatch(shown, /hunter/)
  assert.match(shown, /"cert":"r1\.cert","key":"\(secret\)"/)
  assert.match(shown, /"username":"me","password":"\(secret\)"/)
  assert.match(shown, /tls:ctrl:1280/)
})
