import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Call } from '../../operation/operation.ts'
import { createRequestIds } from './request-id.ts'
import {
  ask,
  BASE,
  clientCertificate,
  localCertificate,
  openWeb,
  requestBytes,
  testApi,
  testRoot,
  WireClient,
} from './test-web.ts'

function openEcho(read: (call: Call) => unknown) {
  const handle = testApi([
    {
      operationId: 'x',
      method: 'GET',
      path: '/x',
      access: 'anyone',
      handle: (call) => ({ status: 200, body: read(call) }),
    },
  ])
  // The CAs are a hint for clients; they must not turn up among what a client presented.
  return openWeb({ handle, tls: { servers: [localCertificate], caPem: testRoot.certificate.pem } })
}

const path = `${BASE}/x`

test('every line of a repeated header is there, in order', async () => {
  await using web = await openEcho((call) => [call.header('authorization'), call.headerLines('authorization')])
  await using client = await WireClient.connect(web.port)
  client.send(`GET ${path} HTTP/1.1\r\nhost: x\r\nAuthorization: Bearer a\r\nx: y\r\nauthorization: Bearer b\r\n\r\n`)
  assert.deepEqual(JSON.parse((await client.answer()).body), ['Bearer a', ['Bearer a', 'Bearer b']])
})

test('client certificates come in the order of the handshake, and only those', async () => {
  await using web = await openEcho((call) => call.clientCertificates().map((der) => der.toString('hex')))
  const { cert, key, chain } = await clientCertificate('someone')
  assert.equal(chain.length, 2)
  const seen = await ask(web.port, { path }, { cert, key })
  assert.deepEqual(
    JSON.parse(seen.body),
    chain.map(({ der }) => der.toString('hex')),
  )
  const stranger = (await clientCertificate('stranger')).chain[0]?.pem ?? ''
  const odd = await ask(web.port, { path }, { cert: cert + stranger, key })
  assert.equal(JSON.parse(odd.body).length, 3)
  const none = await ask(web.port, { path })
  assert.deepEqual(JSON.parse(none.body), [])
})

test('a client that comes back with a session still shows its whole chain', async () => {
  await using web = await openEcho((call) => call.clientCertificates().length)
  const { cert, key } = await clientCertificate('someone')
  let session: Buffer | undefined
  {
    await using first = await WireClient.connect(web.port, { cert, key })
    first.tls.on('session', (one) => {
      session = one
    })
    first.send(requestBytes({ path }))
    assert.equal((await first.answer()).body, '2\n')
  }
  const again = await ask(web.port, { path }, session === undefined ? { cert, key } : { cert, key, session })
  assert.equal(again.body, '2\n')
})

test('request ids are short, never the same, and drawn from all of the alphabet', () => {
  const newId = createRequestIds()
  const ids = new Set(Array.from({ length: 10_000 }, newId))
  assert.equal(ids.size, 10_000)
  const letters = new Set([...ids].join(''))
  assert.equal(letters.size, 64)
})
